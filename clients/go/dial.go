package tether

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	tetherv1 "tether.internal/tether/gen/tether/v1"
)

// Client calls Tether as one credential. It is safe for use by several goroutines, and one is enough for a program.
type Client struct {
	conn     *grpc.ClientConn
	actions  tetherv1.ActionServiceClient
	tools    tetherv1.ToolServiceClient
	patience time.Duration
}

// Option changes how [Dial] sets a client up.
type Option func(*settings)

type settings struct {
	token     func(context.Context) (string, error)
	tls       *tls.Config
	plaintext bool
	patience  time.Duration
	grpc      []grpc.DialOption
}

// WithKey sends this API key with every call.
func WithKey(key string) Option {
	return WithToken(func(context.Context) (string, error) { return key, nil })
}

// WithToken asks for the bearer token of every call: for tokens that expire. An error of its ends the call; nothing is sent.
func WithToken(token func(context.Context) (string, error)) Option {
	return func(s *settings) { s.token = token }
}

// WithTLS speaks TLS by this configuration. Nil: the system's authorities.
func WithTLS(config *tls.Config) Option {
	return func(s *settings) {
		if config == nil {
			config = &tls.Config{}
		}
		s.tls = config
	}
}

// WithPlaintext speaks without TLS to a server that is not on this machine: what is sent, the key too, can be read on the way.
func WithPlaintext() Option {
	return func(s *settings) { s.plaintext = true }
}

// WithPatience sets for how long after its first loss a call is sent again where that is harmless. Default 30 s, zero: not at
// all. A context that ends earlier ends it earlier.
func WithPatience(patience time.Duration) Option {
	return func(s *settings) { s.patience = patience }
}

// WithGRPC hands options to the gRPC library: interceptors, say. What they repeat is not in this package's hands.
func WithGRPC(options ...grpc.DialOption) Option {
	return func(s *settings) { s.grpc = append(s.grpc, options...) }
}

// Dial makes a client of the server's gRPC door at host:port. It does not connect yet: the first call does. To this machine
// (localhost, 127.0.0.0/8, ::1, a Unix socket) it speaks plain text, to every other one TLS, unless an option says otherwise.
func Dial(address string, options ...Option) (*Client, error) {
	s := settings{patience: 30 * time.Second}
	for _, option := range options {
		option(&s)
	}
	if s.token == nil {
		return nil, errors.New("tether: a client needs a credential: WithKey or WithToken")
	}
	if s.tls != nil && s.plaintext {
		return nil, errors.New("tether: WithTLS and WithPlaintext exclude each other")
	}
	conn, err := grpc.NewClient(address, append([]grpc.DialOption{
		grpc.WithTransportCredentials(s.transport(address)),
		grpc.WithPerRPCCredentials(bearer(s.token)),
		// What may be repeated is decided here alone. The buffer of nothing turns off even what the library calls transparent:
		// sending again what a server, or something on the way that says so, claims not to have looked at.
		grpc.WithDisableRetry(),
		grpc.WithDisableServiceConfig(),
		grpc.WithDefaultCallOptions(grpc.MaxRetryRPCBufferSize(0)),
		grpc.WithStatsHandler(sending{}),
		// A peer that is gone without a word is noticed: a confirm may well take a minute in silence.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 10 * time.Second}),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 5 * time.Second},
			MinConnectTimeout: 5 * time.Second,
		}),
	}, s.grpc...)...)
	if err != nil {
		return nil, err
	}
	return &Client{
		conn:     conn,
		actions:  tetherv1.NewActionServiceClient(conn),
		tools:    tetherv1.NewToolServiceClient(conn),
		patience: s.patience,
	}, nil
}

// Close ends the connection, and with it calls that are under way. What they began on the server goes on there.
func (c *Client) Close() error { return c.conn.Close() }

// Conn is the connection itself, with the client's credential: for the services of the contract that have no method here
// (tetherv1.NewCredentialServiceClient), and for health checks. Their errors become *Error by [ErrorOf].
func (c *Client) Conn() *grpc.ClientConn { return c.conn }

func (s settings) transport(address string) credentials.TransportCredentials {
	switch {
	case s.tls != nil:
		return credentials.NewTLS(s.tls)
	case s.plaintext || onThisMachine(address):
		return insecure.NewCredentials()
	default:
		return credentials.NewTLS(&tls.Config{})
	}
}

func onThisMachine(address string) bool {
	if strings.HasPrefix(address, "unix:") {
		return true
	}
	host, _, err := net.SplitHostPort(strings.TrimPrefix(address, "passthrough:///"))
	if err != nil {
		return false
	}
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// bearer puts a token into the metadata of every call. That the connection is fit for it was decided when it was made.
type bearer func(context.Context) (string, error)

func (token bearer) GetRequestMetadata(ctx context.Context, _ ...string) (map[string]string, error) {
	text, err := token(ctx)
	if err != nil {
		return nil, err
	}
	return map[string]string{"authorization": "Bearer " + text}, nil
}

func (bearer) RequireTransportSecurity() bool { return false }

package endpoint

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Endpoint answers Tether's calls, over every transport alike: [Endpoint.ServeHTTP] is plain JSON, [Endpoint.Register] is gRPC.
// Declare its tools with [Read] and [Write] before it serves.
type Endpoint[Tx any] struct {
	ledger  Ledger[Tx]
	hooks   []*standardwebhooks.Webhook
	tools   map[string]tool[Tx]
	options options
}

// tool has one of the two.
type tool[Tx any] struct {
	read  func(context.Context, *Call) (any, error)
	write func(context.Context, Tx, *Call) (any, error)
}

// Option changes how [New] sets an endpoint up.
type Option func(*options)

type options struct {
	maxResultBytes, maxRequestBytes int
	answered                        func(Answered)
}

// MaxResultBytes is the longest result; 262144 by default, as Tether's own limit (max_response_bytes). A longer one is refused.
func MaxResultBytes(bytes int) Option { return func(o *options) { o.maxResultBytes = bytes } }

// MaxRequestBytes is the longest request; 1048576 by default. Tether's arguments have 262144 at most.
func MaxRequestBytes(bytes int) Option { return func(o *options) { o.maxRequestBytes = bytes } }

// OnAnswered is told of every call when it is answered. By default what fails or is not signed goes to slog's default logger.
func OnAnswered(told func(Answered)) Option { return func(o *options) { o.answered = told } }

// Answered is a call that was answered, for a log.
type Answered struct {
	// Tool, Mode, RequestID and Attempt are empty for what was turned away before it was read.
	Tool      string
	Mode      Mode
	RequestID string
	Attempt   int
	// Outcome is result, replayed (a repeat that got the first result), refused, late, failed; of a probe what it was told;
	// unsigned or malformed for what was turned away.
	Outcome string
	// Err is why it was refused, was turned away or failed. Of what failed nobody else gets to know.
	Err error
}

// New makes an endpoint without tools. Its ledger decides what transaction the handlers of writes are given.
func New[Tx any](ledger Ledger[Tx], signing Signing, opts ...Option) (*Endpoint[Tx], error) {
	if ledger == nil || signing == nil {
		return nil, errors.New("endpoint: New needs a ledger and a signing, be they ReadsOnly() and Unsigned()")
	}
	hooks, err := signing()
	if err != nil {
		return nil, err
	}
	o := options{maxResultBytes: 262_144, maxRequestBytes: 1_048_576, answered: logTrouble}
	for _, option := range opts {
		option(&o)
	}
	return &Endpoint[Tx]{ledger: ledger, hooks: hooks, tools: make(map[string]tool[Tx]), options: o}, nil
}

// Read declares a tool that looks something up and changes nothing: it is called without asking anybody, and repeated. Its
// arguments are decoded into Args; a json.RawMessage gets them as they are. What it returns is sent as JSON; a *[Refusal] says why
// there is no answer, any other error only that there is none.
func Read[Args, Tx any](
	e *Endpoint[Tx], name string, handle func(ctx context.Context, args Args, call *Call) (any, error),
) {
	e.declare(name, tool[Tx]{read: func(ctx context.Context, call *Call) (any, error) {
		var args Args
		if err := call.decode(&args); err != nil {
			return nil, err
		}
		return handle(ctx, args, call)
	}})
}

// Write declares a tool that makes one change, which a person confirmed. Whatever it changes, it changes through tx, the
// transaction that ends with the ledger's record: both are committed, or neither is. It must not end tx itself. What it returns
// is recorded and sent as JSON; a *[Refusal] rolls everything back and says why, any other error rolls back without saying why.
// The context ends at the call's deadline, and not when the caller hangs up: what has begun is finished.
func Write[Args, Tx any](
	e *Endpoint[Tx], name string, handle func(ctx context.Context, tx Tx, args Args, call *Call) (any, error),
) {
	if _, none := any(e).(*Endpoint[None]); none {
		panic("endpoint: the write " + name + " has no ledger that keeps it from being done twice")
	}
	e.declare(name, tool[Tx]{write: func(ctx context.Context, tx Tx, call *Call) (any, error) {
		var args Args
		if err := call.decode(&args); err != nil {
			return nil, err
		}
		return handle(ctx, tx, args, call)
	}})
}

func (e *Endpoint[Tx]) declare(name string, declared tool[Tx]) {
	if _, twice := e.tools[name]; twice || name == "" {
		panic(fmt.Sprintf("endpoint: the tool %q is declared twice, or has no name", name))
	}
	e.tools[name] = declared
}

// tell hands a call to the log. One that fails must not change an answer: what it was about may be committed.
func (e *Endpoint[Tx]) tell(answered Answered) {
	defer func() {
		if failure := recover(); failure != nil {
			slog.Error("tether endpoint: OnAnswered failed", "error", failure)
		}
	}()
	e.options.answered(answered)
}

func logTrouble(a Answered) {
	switch a.Outcome {
	case "failed":
		slog.Error("tether endpoint: a call failed", "tool", a.Tool, "mode", a.Mode, "request_id", a.RequestID, "error", a.Err)
	case "unsigned":
		slog.Warn("tether endpoint: a call was turned away", "error", a.Err)
	}
}

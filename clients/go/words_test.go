package tether_test

import (
	"context"
	"net"
	"reflect"
	"testing"

	"google.golang.org/grpc"

	tetherv1 "tether.internal/tether/gen/tether/v1"

	"tether.internal/tether"
)

func TestWordsAreThoseOfTheDocuments(t *testing.T) {
	for word, got := range map[string]string{
		"PENDING":             tether.Word(tether.StatePending),
		"PRECONDITION_FAILED": tether.Word(tether.StatePreconditionFailed),
		"UNKNOWN":             tether.Word(tether.EffectUnknown),
		"EXECUTED":            tether.Word(tether.StatusExecuted),
		"NOT_EXECUTED":        tether.Word(tetherv1.ProbeDisposition_PROBE_DISPOSITION_NOT_EXECUTED),
		"UNSPECIFIED":         tether.Word(tether.State(99)),
	} {
		if got != word {
			t.Errorf("got %q, want %q", got, word)
		}
	}
}

func TestAClientNeedsACredentialAndOneWayToSpeak(t *testing.T) {
	if _, err := tether.Dial("127.0.0.1:1"); err == nil {
		t.Error("a client without a credential was made")
	}
	if _, err := tether.Dial("127.0.0.1:1", tether.WithKey("k"), tether.WithTLS(nil), tether.WithPlaintext()); err == nil {
		t.Error("a client with TLS and without it was made")
	}
}

func TestOnlyToThisMachineAKeyGoesInPlainText(t *testing.T) {
	const tlsHandshake, http2Preface = 0x16, 'P'
	for address, want := range map[string]byte{
		"127.0.0.1:50051":                  http2Preface,
		"localhost:50051":                  http2Preface,
		"[::1]:50051":                      http2Preface,
		"passthrough:///tether.test:50051": tlsHandshake,
		"192.0.2.1:50051":                  tlsHandshake,
	} {
		if first := firstByteTo(t, address); first != want {
			t.Errorf("what goes to %s begins with %q, want %q", address, first, want)
		}
	}
	if first := firstByteTo(t, "192.0.2.1:50051", tether.WithPlaintext()); first != http2Preface {
		t.Errorf("with WithPlaintext it begins with %q", first)
	}
	if first := firstByteTo(t, "127.0.0.1:50051", tether.WithTLS(nil)); first != tlsHandshake {
		t.Errorf("with WithTLS it begins with %q", first)
	}
}

// firstByteTo is what a client of that address sends first. Every address leads to a listener of the test's own.
func firstByteTo(t *testing.T, address string, options ...tether.Option) byte {
	t.Helper()
	here, there := net.Pipe()
	defer there.Close()
	dialer := grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return here, nil })
	options = append(options, tether.WithKey("k"), tether.WithGRPC(dialer), tether.WithPatience(0))
	client, err := tether.Dial(address, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	client.Conn().Connect()
	first := make([]byte, 1)
	if _, err := there.Read(first); err != nil {
		t.Fatal(err)
	}
	return first[0]
}

func TestEveryCallOfCallersHasItsMethod(t *testing.T) {
	client := reflect.TypeFor[*tether.Client]()
	for _, service := range []grpc.ServiceDesc{tetherv1.ActionService_ServiceDesc, tetherv1.ToolService_ServiceDesc} {
		names := make([]string, 0, len(service.Methods)+len(service.Streams))
		for _, method := range service.Methods {
			names = append(names, method.MethodName)
		}
		for _, stream := range service.Streams {
			names = append(names, stream.StreamName)
		}
		for _, name := range names {
			if _, ok := client.MethodByName(name); !ok {
				t.Errorf("%s/%s has no method", service.ServiceName, name)
			}
		}
	}
}

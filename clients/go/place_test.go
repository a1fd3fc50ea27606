package tether_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"testing"
	"time"

	"tether.internal/tether"
)

// place is where the tests run: a real server and a vendor that can be directed, started by test/clients/go.
type place struct {
	t       *testing.T
	address string
	vendor  string
}

func openPlace(t *testing.T) place {
	t.Helper()
	p := place{t, os.Getenv("HARNESS_GRPC_ADDRESS"), os.Getenv("HARNESS_VENDOR_URL")}
	if p.address == "" {
		t.Skip("needs a server: npx vitest run test/clients/go starts one and runs this")
	}
	return p
}

// dial makes a client with the key of a role, AGENT or APPROVER; at the server itself when no address is given.
func (p place) dial(role, address string, options ...tether.Option) *tether.Client {
	p.t.Helper()
	if address == "" {
		address = p.address
	}
	key := tether.WithKey(os.Getenv("HARNESS_" + role + "_KEY"))
	client, err := tether.Dial(address, append([]tether.Option{key}, options...)...)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { client.Close() })
	return client
}

// stage proposes to void a ticket.
func (p place) stage(ctx context.Context, ticket string) *tether.Action {
	p.t.Helper()
	staged, err := p.dial("AGENT", "").Stage(ctx, voiding(ticket))
	if err != nil {
		p.t.Fatal(err)
	}
	return staged.Action
}

func voiding(ticket string) tether.ToolCall {
	return tether.ToolCall{Tool: "void_ticket", Arguments: map[string]string{"ticket_id": ticket}}
}

// action reads an action anew, past everything that a test put in the way.
func (p place) action(ctx context.Context, id string) *tether.Action {
	p.t.Helper()
	found, err := p.dial("APPROVER", "").Get(ctx, tether.ByID(id))
	if err != nil {
		p.t.Fatal(err)
	}
	return found.Action
}

// calls is how many writes of a ticket reached the vendor.
func (p place) calls(ticket string) string { return p.direct("/calls", ticket) }

func (p place) direct(path, ticket string) string {
	p.t.Helper()
	response, err := http.Get(p.vendor + path + "?ticket=" + url.QueryEscape(ticket))
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(said)
}

// within gives a test's calls an end, so that a lost one fails rather than hangs.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// ticket is a ticket that no other test has, and that the vendor treats as its prefix says.
func ticket(prefix string) string { return fmt.Sprintf("%s-%d", prefix, time.Now().UnixNano()) }

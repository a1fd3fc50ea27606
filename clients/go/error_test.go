package tether_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"tether.internal/tether"
)

// failureOf is the *Error that every error of a client is.
func failureOf(t *testing.T, err error) *tether.Error {
	t.Helper()
	var failure *tether.Error
	if !errors.As(err, &failure) {
		t.Fatalf("got %v, want a *tether.Error", err)
	}
	return failure
}

func TestARefusalTellsWhatTheNextCallCanBeComputedFrom(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	agent := p.dial("AGENT", "")

	_, err := agent.Confirm(ctx, tether.ConfirmationOf(p.stage(ctx, ticket("self"))))
	failure := failureOf(t, err)
	if failure.RequestID == "" || !failure.Answered {
		t.Errorf("the operator is to be told %q, answered %t", failure.RequestID, failure.Answered)
	}
	if failure.Code != "PERMISSION_DENIED" || failure.Effect != tether.EffectNone || failure.Retryable {
		t.Errorf("the agent's own confirm got %v", failure)
	}
	if len(failure.Accepted) != 1 || string(failure.Accepted[0]) != `"approver"` {
		t.Errorf("accepted is %s", failure.Accepted)
	}
	if status.Code(err) != codes.PermissionDenied {
		t.Errorf("the status is %s", status.Code(err))
	}

	_, err = agent.Stage(ctx, tether.ToolCall{Tool: "void_ticket", Arguments: map[string]any{"ticket_id": 4417}})
	failure = failureOf(t, err)
	if failure.Code != "INVALID_ARGUMENTS" || failure.Field != "ticket_id" || string(failure.Received) != "4417" {
		t.Errorf("arguments of the wrong type got %v, field %q, received %s", failure, failure.Field, failure.Received)
	}

	_, err = agent.Stage(ctx, tether.ToolCall{Tool: "void_tickets"})
	failure = failureOf(t, err)
	named := slices.ContainsFunc(failure.Accepted, func(name json.RawMessage) bool { return string(name) == `"void_ticket"` })
	if failure.Code != "TOOL_NOT_FOUND" || !named {
		t.Errorf("an unknown tool got %v, accepted %s", failure, failure.Accepted)
	}

	_, err = agent.Stage(ctx, tether.ToolCall{Tool: "void_ticket", Arguments: make(chan int)})
	if failure = failureOf(t, err); failure.Code != "INVALID_ARGUMENTS" || failure.Effect != tether.EffectNone {
		t.Errorf("arguments that are no JSON got %v", failure)
	}
}

func TestAVendorsRefusalIsToldWithTheOutcome(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	approver := p.dial("APPROVER", "")
	action := p.stage(ctx, "T-3")
	confirmed, err := approver.Confirm(ctx, tether.ConfirmationOf(action))
	if err != nil {
		t.Fatal(err)
	}
	if confirmed.Succeeded() || confirmed.Status != tether.StatusRefused || confirmed.Failure.Code != "ticket_closed" {
		t.Errorf("got %s with %v", tether.Word(confirmed.Status), confirmed.Failure)
	}
	if failure := tether.Failure(p.action(ctx, action.GetId())); failure == nil || failure.Code != "ticket_closed" {
		t.Errorf("the action's own failure is %v", failure)
	}
}

// nobodys is an address where nobody listens any more.
func nobodys(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func TestACallThatCannotBeSentLeftNothingBehind(t *testing.T) {
	client, err := tether.Dial(nobodys(t), tether.WithKey("k"), tether.WithPatience(0))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = client.Stage(within(t), voiding("T-1"))
	failure := failureOf(t, err)
	if failure.Code != "UNAVAILABLE" || failure.Answered || failure.Effect != tether.EffectNone || !failure.Retryable {
		t.Errorf("got %v, retryable %t", failure, failure.Retryable)
	}
}

func TestACallWithoutAnAnswerIsInDoubtAndNamesTheReadThatClosesTheGap(t *testing.T) {
	// It takes what is sent and never says a word.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	arrived := make(chan struct{})
	go speakHTTP2(listener, func(frames *frames, stream uint32) { close(arrived) })
	client, err := tether.Dial(listener.Addr().String(), tether.WithKey("k"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()

	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("too slow"))
	defer cancel()
	ctx, giveUp := context.WithCancelCause(ctx)
	enough := errors.New("the user left")
	go func() {
		<-arrived
		giveUp(enough)
	}()
	_, err = client.Stage(ctx, tether.ToolCall{Tool: "void_ticket", RequestID: "r-1"})
	failure := failureOf(t, err)
	if failure.Code != "CANCELLED" || failure.Answered || failure.Effect != tether.EffectUnknown || !errors.Is(err, enough) {
		t.Errorf("got %v", failure)
	}
	if len(failure.Alternatives) != 1 || failure.Alternatives[0].Action != "get" ||
		string(failure.Alternatives[0].Arguments) != `{"request_id":"r-1"}` {
		t.Errorf("the moves are %v", failure.Alternatives)
	}
}

package tether

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	tetherv1 "tether.internal/tether/gen/tether/v1"
)

// ToolCall is one tool call of a model, or a proposal of its own.
type ToolCall struct {
	// Tool is its name in the catalog.
	Tool string
	// Arguments are encoded by encoding/json: a map, a struct, or a json.RawMessage as it stands. Nil means {}.
	Arguments any
	// UserID is on whose behalf: recorded, and no authority. May be empty.
	UserID string
	// Scope is the part of the tenant. Empty when the tenant has none.
	Scope string
	// PlanID groups what is proposed in one turn. Empty: one is made for this action.
	PlanID string
	// RequestID is the caller's own id of a write, at most 256 characters: repeats with it return the same action, also from
	// another process. Empty: one is made.
	RequestID string
	// TTL is how long it may wait for a person, at most the tool's own, which is what zero means.
	TTL time.Duration
}

// Staged is a write that waits for a person.
type Staged struct {
	// Action is a new one, or the one that this proposal had already made.
	Action *Action
	// ModelJSON is the exact text for the model's transcript.
	ModelJSON string
	// IdempotentReplay is true when this proposal had been staged before and nothing new was recorded.
	IdempotentReplay bool
}

// Called is what came of a tool call.
type Called struct {
	// Result is a read's answer as the endpoint sent it. Nil for a write.
	Result json.RawMessage
	// Action is the write that was staged. Nil for a read.
	Action *Action
	// ModelJSON is the exact text for the model's transcript.
	ModelJSON string
	// PendingActions are what this plan has waiting for a person, oldest first.
	PendingActions []*Action
	// IdempotentReplay is true when a write had been staged before and nothing new was recorded.
	IdempotentReplay bool
}

// Stage records a proposed write and returns its preview; nothing runs. An identical proposal returns the same action.
func (c *Client) Stage(ctx context.Context, call ToolCall) (*Staged, error) {
	arguments, err := argumentsJSON(call.Arguments)
	if err != nil {
		return nil, err
	}
	id := orRandom(call.RequestID)
	response, err := invoke(ctx, c, sameAction, c.actions.Stage, &tetherv1.StageRequest{
		Tool: call.Tool, ArgumentsJson: arguments, UserId: call.UserID, Scope: call.Scope, PlanId: call.PlanID,
		RequestId: id, Ttl: ttl(call.TTL),
	})
	if err != nil {
		return nil, orGet(err, "request_id", id)
	}
	return &Staged{response.GetAction(), response.GetModelJson(), response.GetIdempotentReplay()}, nil
}

// Call is one tool call of a model: a read runs, a write is staged and runs nothing.
func (c *Client) Call(ctx context.Context, call ToolCall) (*Called, error) {
	arguments, err := argumentsJSON(call.Arguments)
	if err != nil {
		return nil, err
	}
	id := orRandom(call.RequestID)
	response, err := invoke(ctx, c, sameAction, c.tools.Call, &tetherv1.CallRequest{
		Tool: call.Tool, ArgumentsJson: arguments, UserId: call.UserID, Scope: call.Scope, PlanId: call.PlanID,
		RequestId: id, Ttl: ttl(call.TTL),
	})
	if err != nil {
		return nil, orGet(err, "request_id", id)
	}
	return &Called{
		Result: raw(response.GetResultJson()), Action: response.GetAction(), ModelJSON: response.GetModelJson(),
		PendingActions: response.GetPendingActions(), IdempotentReplay: response.GetIdempotentReplay(),
	}, nil
}

// ListTools returns the tools that can be called, by name.
func (c *Client) ListTools(ctx context.Context) ([]*Tool, error) {
	response, err := invoke(ctx, c, reads, c.tools.ListTools, &tetherv1.ListToolsRequest{})
	if err != nil {
		return nil, err
	}
	return response.GetTools(), nil
}

func ttl(wanted time.Duration) *durationpb.Duration {
	if wanted == 0 {
		return nil
	}
	return durationpb.New(wanted)
}

// orRandom makes a key that nobody else makes where the caller has none.
func orRandom(key string) string {
	if key == "" {
		return rand.Text()
	}
	return key
}

// argumentsJSON encodes arguments without the escapes that are for web pages.
func argumentsJSON(arguments any) (string, error) {
	if arguments == nil {
		return "", nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(arguments); err != nil {
		return "", &Error{
			Code:    "INVALID_ARGUMENTS",
			Message: "The arguments cannot be written as JSON. Nothing was sent.",
			Field:   "arguments",
			Effect:  EffectNone,
			status:  status.New(codes.InvalidArgument, err.Error()),
			cause:   err,
		}
	}
	return string(bytes.TrimSuffix(text.Bytes(), []byte("\n"))), nil
}

// orGet names the read that closes the gap, where an answer was lost.
func orGet(err error, field, key string) error {
	var failure *Error
	if !errors.As(err, &failure) || failure.Effect != EffectUnknown || len(failure.Alternatives) > 0 {
		return err
	}
	arguments, _ := json.Marshal(map[string]string{field: key})
	failure.Alternatives = []Alternative{{Action: "get", Arguments: arguments, Description: "Read what came of it."}}
	return failure
}

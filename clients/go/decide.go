package tether

import (
	"context"
	"encoding/json"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	tetherv1 "tether.internal/tether/gen/tether/v1"
)

// Decided is an action after a person's decision about it.
type Decided struct {
	// Action is the action as it stands now.
	Action *Action
	// ModelJSON is the exact text for the model's transcript.
	ModelJSON string
	// IdempotentReplay is true when the same decision had been recorded before.
	IdempotentReplay bool
}

// Reject says no, with a reason that the model gets: 1 to 2000 characters. The same rejection made twice is one.
func (c *Client) Reject(ctx context.Context, actionID, reason string) (*Decided, error) {
	response, err := invoke(ctx, c, never, c.actions.Reject, &tetherv1.RejectRequest{ActionId: actionID, Reason: reason})
	if err != nil {
		return nil, orGet(err, "action_id", actionID)
	}
	return &Decided{response.GetAction(), response.GetModelJson(), response.GetIdempotentReplay()}, nil
}

// Amendment is other arguments in an action's place.
type Amendment struct {
	// ActionID is the action's id; it must be PENDING and not in doubt.
	ActionID string
	// Arguments are the new ones, whole, as in [ToolCall].
	Arguments any
	// RequestID is the caller's own id of this request: repeats with it return the same new action. May be empty.
	RequestID string
}

// Amended is what stands in an action's place.
type Amended struct {
	// Action is the new one, PENDING.
	Action *Action
	// Superseded is the old one; its id is dead.
	Superseded *Action
	// ModelJSON is the exact text for the model's transcript: the preview of the new action.
	ModelJSON string
	// IdempotentReplay is true when this amendment had been made before.
	IdempotentReplay bool
}

// Amend stages other arguments in an action's place, through every check of Stage.
func (c *Client) Amend(ctx context.Context, amendment Amendment) (*Amended, error) {
	arguments, err := argumentsJSON(amendment.Arguments)
	if err != nil {
		return nil, err
	}
	response, err := invoke(ctx, c, never, c.actions.Amend, &tetherv1.AmendRequest{
		ActionId: amendment.ActionID, ArgumentsJson: arguments, RequestId: amendment.RequestID,
	})
	if err != nil {
		return nil, orGet(err, "action_id", amendment.ActionID)
	}
	return &Amended{response.GetAction(), response.GetSuperseded(), response.GetModelJson(), response.GetIdempotentReplay()}, nil
}

// Resolution is a person's word about a doubt.
type Resolution struct {
	// ActionID is the action's id.
	ActionID string
	// Landed is true when the write took effect, false when it did not and never will.
	Landed bool
	// Result is what the endpoint would have answered, if it landed and the person knows it. May be nil.
	Result json.RawMessage
	// Note is what the person saw: 1 to 2000 characters.
	Note string
	// ExpectedAttempts is how many attempts had been used when the person looked; more by now and the decision is refused.
	ExpectedAttempts int32
	// ObservedAt is when the person looked at the business system. "Not landed" is believed only if that was 30 s after the
	// deadline of every attempt in doubt, or later.
	ObservedAt time.Time
}

// Resolve settles a doubt: it landed, or it did not. The same decision made twice is one.
func (c *Client) Resolve(ctx context.Context, resolution Resolution) (*Decided, error) {
	response, err := invoke(ctx, c, never, c.actions.Resolve, &tetherv1.ResolveRequest{
		ActionId: resolution.ActionID, Landed: resolution.Landed, ResultJson: string(resolution.Result), Note: resolution.Note,
		ExpectedAttempts: resolution.ExpectedAttempts, ObservedAt: timestamppb.New(resolution.ObservedAt),
	})
	if err != nil {
		return nil, orGet(err, "action_id", resolution.ActionID)
	}
	return &Decided{response.GetAction(), response.GetModelJson(), response.GetIdempotentReplay()}, nil
}

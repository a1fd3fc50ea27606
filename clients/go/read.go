package tether

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	tetherv1 "tether.internal/tether/gen/tether/v1"
)

// Key says which action is meant: [ByID], [ByIdempotencyKey] or [ByRequestID].
type Key struct{ field, value string }

// ByID is an action by its id.
func ByID(id string) Key { return Key{"action_id", id} }

// ByIdempotencyKey is the action that the caller's user confirmed with this key.
func ByIdempotencyKey(key string) Key { return Key{"idempotency_key", key} }

// ByRequestID is the action that the caller's credential staged with this request id.
func ByRequestID(id string) Key { return Key{"request_id", id} }

// Found is an action, whole.
type Found struct {
	// Action is the action as it stands now.
	Action *Action
	// ModelJSON is the exact text for the model's transcript.
	ModelJSON string
}

// Get tells everything that is known of an action: the read for whoever lost an answer.
func (c *Client) Get(ctx context.Context, key Key) (*Found, error) {
	request := new(tetherv1.GetRequest)
	switch key.field {
	case "idempotency_key":
		request.Key = &tetherv1.GetRequest_IdempotencyKey{IdempotencyKey: key.value}
	case "request_id":
		request.Key = &tetherv1.GetRequest_RequestId{RequestId: key.value}
	default:
		request.Key = &tetherv1.GetRequest_ActionId{ActionId: key.value}
	}
	response, err := invoke(ctx, c, reads, c.actions.Get, request)
	if err != nil {
		return nil, err
	}
	return &Found{response.GetAction(), response.GetModelJson()}, nil
}

// Replayed is a stored result, or the state of an action that has none.
type Replayed struct {
	// Action is the action as it stands now.
	Action *Action
	// Result is the endpoint's answer of the first successful execution, byte for byte. Nil when there is none.
	Result json.RawMessage
	// ModelJSON is the exact text for the model's transcript.
	ModelJSON string
}

// Replay returns the stored result of an action that succeeded, or its state; it never runs anything.
func (c *Client) Replay(ctx context.Context, key Key) (*Replayed, error) {
	request := new(tetherv1.ReplayRequest)
	switch key.field {
	case "idempotency_key":
		request.Key = &tetherv1.ReplayRequest_IdempotencyKey{IdempotencyKey: key.value}
	case "request_id":
		request.Key = &tetherv1.ReplayRequest_RequestId{RequestId: key.value}
	default:
		request.Key = &tetherv1.ReplayRequest_ActionId{ActionId: key.value}
	}
	response, err := invoke(ctx, c, reads, c.actions.Replay, request)
	if err != nil {
		return nil, err
	}
	return &Replayed{response.GetAction(), raw(response.GetResultJson()), response.GetModelJson()}, nil
}

// Page says which page of a list: at most so many (0: the server's default), after the page that ended with Cursor.
type Page struct {
	Size   int32
	Cursor string
}

// List returns a page of actions, newest first, and the cursor of the next; empty when this was the last. See [Client.All].
func (c *Client) List(ctx context.Context, filter *Filter, page Page) (actions []*Action, next string, err error) {
	response, err := invoke(ctx, c, reads, c.actions.List, &tetherv1.ListRequest{
		Filter: filter, PageSize: page.Size, Cursor: page.Cursor,
	})
	if err != nil {
		return nil, "", err
	}
	return response.GetActions(), response.GetNextCursor(), nil
}

// All yields the actions that a filter means, newest first, page by page. An error ends it.
func (c *Client) All(ctx context.Context, filter *Filter) iter.Seq2[*Action, error] {
	return func(yield func(*Action, error) bool) {
		for page := (Page{}); ; {
			actions, next, err := c.List(ctx, filter, page)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, action := range actions {
				if !yield(action, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			page.Cursor = next
		}
	}
}

// ListEvents returns a page of the audit trail, oldest first: of one action, or with an empty id of the whole tenant (operators).
// The cursor goes on with what follows, also with events still to come; more says whether there are some already.
func (c *Client) ListEvents(ctx context.Context, actionID string, page Page) (events []*ActionEvent, next string, more bool, err error) {
	response, err := invoke(ctx, c, reads, c.actions.ListEvents, &tetherv1.ListEventsRequest{
		ActionId: actionID, PageSize: page.Size, Cursor: page.Cursor,
	})
	if err != nil {
		return nil, "", false, err
	}
	return response.GetEvents(), response.GetNextCursor(), response.GetHasMore(), nil
}

// Rechecked is a precondition then and now.
type Rechecked struct {
	// Holds is true when a confirm would go on.
	Holds bool
	// Before is what the read answered when the action was staged, Now what it answers now.
	Before, Now json.RawMessage
	// Differences are the places where they differ.
	Differences []*Difference
	// Action is the action as it stands; this changed nothing about it.
	Action *Action
}

// Recheck calls the precondition's read of an action and compares, without changing anything.
func (c *Client) Recheck(ctx context.Context, actionID string) (*Rechecked, error) {
	response, err := invoke(ctx, c, reads, c.actions.Recheck, &tetherv1.RecheckRequest{ActionId: actionID})
	if err != nil {
		return nil, err
	}
	return &Rechecked{
		Holds: response.GetHolds(), Before: raw(response.GetBeforeJson()), Now: raw(response.GetNowJson()),
		Differences: response.GetDifferences(), Action: response.GetAction(),
	}, nil
}

// Probed is what an endpoint said about an action in doubt.
type Probed struct {
	// Disposition is what it said; unknown also when it could not be asked.
	Disposition Disposition
	// Settled is true when the answer settled the doubt.
	Settled bool
	// Action is the action as it stands now.
	Action *Action
	// ModelJSON is the exact text for the model's transcript.
	ModelJSON string
	// NextProbeAt is when it is asked again by itself. Zero when it is not.
	NextProbeAt time.Time
}

// ProbeNow asks the endpoint what became of an action in doubt. It is not repeated by itself: its answer can settle the doubt.
func (c *Client) ProbeNow(ctx context.Context, actionID string) (*Probed, error) {
	response, err := invoke(ctx, c, never, c.actions.ProbeNow, &tetherv1.ProbeNowRequest{ActionId: actionID})
	if err != nil {
		return nil, orGet(err, "action_id", actionID)
	}
	probed := &Probed{
		Disposition: response.GetDisposition(), Settled: response.GetSettled(), Action: response.GetAction(),
		ModelJSON: response.GetModelJson(),
	}
	if at := response.GetNextProbeAt(); at != nil {
		probed.NextProbeAt = at.AsTime()
	}
	return probed, nil
}

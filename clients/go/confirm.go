package tether

import (
	"context"
	"encoding/json"
	"iter"

	tetherv1 "tether.internal/tether/gen/tether/v1"
)

// Confirmation is a person's decision to run a staged write.
type Confirmation struct {
	// ActionID is the action's id.
	ActionID string
	// ExpectedAttempts is how many attempts had been used when the person decided. It is what keeps a machine from making an
	// attempt that nobody decided about: where more are used by now, the confirm returns what that attempt came to, and runs
	// nothing. So zero, for an action that has failed before, runs nothing either.
	ExpectedAttempts int32
	// PreviewDigest is that of what the person was shown. Empty: not checked.
	PreviewDigest string
	// IdempotencyKey is the approver's own key for this confirmation, at most 256 characters; [Client.Get] finds the action by
	// it. Empty: one is made.
	IdempotencyKey string
	// AcknowledgeHighRisk must be true where the action says so (acknowledgement_required).
	AcknowledgeHighRisk bool
	// AcknowledgeIndeterminate must be true to make another attempt while the outcome of an earlier one is unknown.
	AcknowledgeIndeterminate bool
}

// ConfirmationOf is the decision about an action as it was shown to a person: this digest, this many attempts before.
func ConfirmationOf(action *Action) Confirmation {
	return Confirmation{
		ActionID:         action.GetId(),
		ExpectedAttempts: action.GetAttemptsUsed(),
		PreviewDigest:    action.GetPreviewDigest(),
	}
}

// Confirmed is what came of a confirm: an outcome that is recorded, good or bad.
type Confirmed struct {
	// Status is the outcome.
	Status Status
	// Action is the action as it stands now.
	Action *Action
	// Result is the endpoint's answer, byte for byte. Nil unless Succeeded.
	Result json.RawMessage
	// Failure says why it did not succeed. Nil when it did.
	Failure *Error
	// ModelJSON is the exact text for the model's transcript.
	ModelJSON string
	// IdempotentReplay is true when this answers from the record and nothing ran.
	IdempotentReplay bool
}

// Succeeded tells whether the write is done, by this confirm or by an earlier one.
func (c *Confirmed) Succeeded() bool {
	return c.Status == StatusExecuted || c.Status == StatusReplayed
}

// Confirm runs a staged write, at most once. An outcome that is no success is returned and no error: look at Status. When the
// answer is lost, the confirm is sent again with the same key and the same expected attempts, and waits for what the first one
// came to; the write is not attempted again.
func (c *Client) Confirm(ctx context.Context, confirmation Confirmation) (*Confirmed, error) {
	response, err := invoke(ctx, c, sameAttempt, c.actions.Confirm, confirmation.request())
	if err != nil {
		return nil, orGet(err, "action_id", confirmation.ActionID)
	}
	return confirmedOf(response), nil
}

// Verdict is what came of one entry of a plan. One of Confirmed, Refused and NotRun is set.
type Verdict struct {
	// Index of the entry, from 0.
	Index int
	// ActionID is the entry's action.
	ActionID string
	// Confirmed is the outcome, as of Confirm.
	Confirmed *Confirmed
	// Refused says why the entry was refused, as Confirm refuses.
	Refused *Error
	// NotRun says why the entry was not run: one before it did not succeed. Nothing about it changed.
	NotRun string
}

// ConfirmPlan confirms several actions one after the other and stops at the first that does not succeed. When the stream is
// lost it ends with an error; the same plan can be confirmed again, since each entry says how many attempts it expects.
// Breaking off stops before the next entry.
func (c *Client) ConfirmPlan(ctx context.Context, entries []Confirmation) iter.Seq2[*Verdict, error] {
	request := new(tetherv1.ConfirmPlanRequest)
	for _, entry := range entries {
		request.Entries = append(request.Entries, entry.request())
	}
	return func(yield func(*Verdict, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for message, err := range messages(ctx, never, c.actions.ConfirmPlan, request) {
			if err != nil {
				yield(nil, err)
				return
			}
			verdict := &Verdict{
				Index: int(message.GetIndex()), ActionID: message.GetActionId(), NotRun: message.GetNotRun().GetReason(),
			}
			if confirmed := message.GetConfirmed(); confirmed != nil {
				verdict.Confirmed = confirmedOf(confirmed)
			}
			if refused := message.GetError(); refused != nil {
				verdict.Refused = fromDetail(refused)
			}
			if !yield(verdict, nil) {
				return
			}
		}
	}
}

func (c Confirmation) request() *tetherv1.ConfirmRequest {
	return &tetherv1.ConfirmRequest{
		ActionId:                 c.ActionID,
		IdempotencyKey:           orRandom(c.IdempotencyKey),
		ExpectedAttempts:         &c.ExpectedAttempts,
		PreviewDigest:            c.PreviewDigest,
		AcknowledgeHighRisk:      c.AcknowledgeHighRisk,
		AcknowledgeIndeterminate: c.AcknowledgeIndeterminate,
	}
}

func confirmedOf(response *tetherv1.ConfirmResponse) *Confirmed {
	confirmed := &Confirmed{
		Status: response.GetStatus(), Action: response.GetAction(), Result: raw(response.GetResultJson()),
		ModelJSON: response.GetModelJson(), IdempotentReplay: response.GetIdempotentReplay(),
	}
	if response.GetError() != nil {
		confirmed.Failure = fromDetail(response.GetError())
	}
	return confirmed
}

package endpoint

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/gowebpki/jcs"
)

// invoke is a call from its arrival to what came of it; an error is nobody's business but the vendor's.
func (e *Endpoint[Tx]) invoke(ctx context.Context, mode Mode, call *Call) (Outcome, error) {
	outcome, err := e.run(ctx, mode, call)
	answered := Answered{Tool: call.Tool, Mode: mode, RequestID: call.RequestID, Attempt: call.Attempt, Err: err}
	switch {
	case err != nil:
		answered.Outcome = "failed"
	case outcome.Refused != nil:
		answered.Outcome, answered.Err = "refused", errors.New(outcome.Refused.Code+": "+outcome.Refused.Message)
	case outcome.Late != nil:
		answered.Outcome, answered.Err = "late", errors.New(outcome.Late.Message)
	case outcome.Replayed:
		answered.Outcome = "replayed"
	default:
		answered.Outcome = "result"
	}
	e.tell(answered)
	return outcome, err
}

// probe answers a question from the ledger.
func (e *Endpoint[Tx]) probe(ctx context.Context, call *Call) (Told, error) {
	told, err := e.ledger.Probe(context.WithoutCancel(ctx), questionOf(call))
	answered := Answered{Tool: call.Tool, Mode: ModeProbe, RequestID: call.RequestID, Attempt: call.Attempt, Err: err}
	answered.Outcome = string(told.Disposition)
	if err != nil {
		answered.Outcome = "failed"
	}
	e.tell(answered)
	return told, err
}

func (e *Endpoint[Tx]) run(ctx context.Context, mode Mode, call *Call) (Outcome, error) {
	tool, ok := e.tools[call.Tool]
	if !ok {
		return e.refuse(&Refusal{
			Code: "unknown_tool", Message: fmt.Sprintf("There is no tool %s here; nothing was done.", call.Tool),
			Field: "tool", Received: call.Tool, Accepted: anys(slices.Sorted(maps.Keys(e.tools))),
		})
	}
	// A catalog that declares a write as a read would have it run unasked and repeated: not here.
	kind, wanted := "read", ModeRead
	if tool.write != nil {
		kind, wanted = "write", ModeExecute
	}
	if mode != wanted {
		return e.refuse(&Refusal{
			Code: "wrong_mode", Message: fmt.Sprintf("%s is a %s; nothing was done.", call.Tool, kind),
			Field: "mode", Received: string(mode), Accepted: anys([]Mode{wanted}),
		})
	}
	if tool.write != nil {
		return e.write(ctx, tool, call)
	}
	return e.read(ctx, tool, call)
}

func (e *Endpoint[Tx]) read(ctx context.Context, tool tool[Tx], call *Call) (Outcome, error) {
	if now := time.Now(); !now.Before(call.Deadline) {
		return Outcome{Late: &Late{"past_deadline", fmt.Sprintf("The call is past its deadline: it was %s, and it is %s here.",
			call.Deadline.Format(time.RFC3339Nano), now.Format(time.RFC3339Nano))}}, nil
	}
	ctx, cancel := context.WithDeadline(ctx, call.Deadline)
	defer cancel()
	result, err := guarded(func() (json.RawMessage, error) {
		value, err := tool.read(ctx, call)
		return e.result(call, value, err)
	})
	if err == nil {
		return Outcome{Result: result}, nil
	}
	if refused := e.refused(err); refused != nil {
		return Outcome{Refused: refused}, nil
	}
	return Outcome{}, err
}

func (e *Endpoint[Tx]) write(ctx context.Context, tool tool[Tx], call *Call) (Outcome, error) {
	digest, err := argumentsDigest(call.Arguments)
	if err != nil {
		return Outcome{}, err
	}
	write := Attempt{Question: questionOf(call), ArgumentsDigest: digest, Deadline: call.Deadline}
	work := func(ctx context.Context, tx Tx) (json.RawMessage, error) {
		ctx, cancel := context.WithDeadline(ctx, call.Deadline)
		defer cancel()
		return guarded(func() (json.RawMessage, error) {
			value, err := tool.write(ctx, tx, call)
			return e.result(call, value, err)
		})
	}
	return e.ledger.Once(context.WithoutCancel(ctx), write, work, e.refused)
}

// result is what a handler returned, as text. A refusal that cannot be written down becomes an error that says why.
func (e *Endpoint[Tx]) result(call *Call, value any, err error) (json.RawMessage, error) {
	if err == nil {
		return resultText(value, call.Tool, e.options.maxResultBytes)
	}
	var refusal *Refusal
	if errors.As(err, &refusal) {
		if _, unsound := refusal.record(e.options.maxResultBytes); unsound != nil {
			return nil, fmt.Errorf("%s: %w", call.Tool, unsound)
		}
	}
	return nil, err
}

// refused is the record of a refusal; nil of every other error.
func (e *Endpoint[Tx]) refused(err error) *Refused {
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		return nil
	}
	// One that cannot be written down was replaced by then.
	record, _ := refusal.record(e.options.maxResultBytes)
	return record
}

func (e *Endpoint[Tx]) refuse(refusal *Refusal) (Outcome, error) {
	record, err := refusal.record(e.options.maxResultBytes)
	return Outcome{Refused: record}, err
}

// guarded turns a panic into an error: the transaction has to be rolled back, and the caller to get an answer.
func guarded(work func() (json.RawMessage, error)) (result json.RawMessage, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			err = fmt.Errorf("the handler panicked: %v\n%s", failure, debug.Stack())
		}
	}()
	return work()
}

// argumentsDigest is the same for the same arguments, over every transport and in every language's package.
func argumentsDigest(arguments json.RawMessage) (string, error) {
	canonical, err := jcs.Transform(arguments)
	if err != nil {
		return "", fmt.Errorf("the arguments have no RFC 8785 form: %w", err)
	}
	digest := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(digest[:]), nil
}

func questionOf(call *Call) Question {
	return Question{Key: call.RequestID, Tenant: call.Tenant.ID, Tool: call.Tool, Attempt: call.Attempt}
}

func anys[T ~string](texts []T) []any {
	values := make([]any, len(texts))
	for i, text := range texts {
		values[i] = string(text)
	}
	return values
}

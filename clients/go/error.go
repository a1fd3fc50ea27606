package tether

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	tetherv1 "tether.internal/tether/gen/tether/v1"
)

// Error says what went wrong so that the next call can be computed from it. Every error of a [Client] is one (errors.As), and
// so is what stands beside an outcome that is no success.
//
// It answers two questions, and they are independent: did it leave something behind (Effect), and could an identical repeat
// ever succeed (Retryable).
type Error struct {
	// Code is stable: one of Tether's (docs/errors.md) or a vendor's own, as the vendor spells it. Without an answer it is the
	// status of the RPC, like DEADLINE_EXCEEDED.
	Code string
	// Message names the violated condition, the offending value and the boundary. It can be shown to a model.
	Message string
	// Field is the offending argument or field: its name, or a JSON Pointer when nested. Empty when no one field is at fault.
	Field string
	// Received is the offending value. Nil when there is none to show.
	Received json.RawMessage
	// Limit is the boundary that was crossed. Nil when there is none.
	Limit json.RawMessage
	// Accepted are the values that would be accepted. Nil when they cannot be listed.
	Accepted []json.RawMessage
	// Effect says what was left behind. EffectUnknown, as always when an answer was lost: read with Get before anything else is
	// done.
	Effect Effect
	// Retryable says whether an identical repeat could ever succeed.
	Retryable bool
	// RetryAfter says how long to wait before a repeat is worth making. Zero when waiting changes nothing, or nobody knows.
	RetryAfter time.Duration
	// Alternatives are the moves that exist from here, best first.
	Alternatives []Alternative
	// Answered is true when Tether said this; false when no answer came, or none of Tether's, and this package says so.
	Answered bool
	// RequestID is what to tell the operator, who finds the call in the log by it. Empty when no answer came.
	RequestID string

	status *status.Status
	cause  error
}

// Alternative is a move that is open to the caller.
type Alternative struct {
	// Action is what to do: an RPC of Tether (get, confirm, stage) or a vendor's own word.
	Action string
	// Tool is the tool to call, if the move is a tool call.
	Tool string
	// Arguments for the move. Nil when none are proposed.
	Arguments json.RawMessage
	// Description is the move in a sentence. May be empty.
	Description string
	// Extra is whatever else a vendor said about the move: a JSON object, or nil.
	Extra json.RawMessage
}

// Error is for a developer's log; what a model should read is Message.
func (e *Error) Error() string {
	text := fmt.Sprintf("tether: %s: %s (effect %s)", e.Code, strings.TrimSuffix(e.Message, "."), Word(e.Effect))
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap gives what the error rests on: of a call that was ended by its context, the context's error.
func (e *Error) Unwrap() error { return e.cause }

// GRPCStatus lets status.FromError and status.Code see how the RPC ended. An error beside a recorded outcome has codes.OK: its
// call succeeded.
func (e *Error) GRPCStatus() *status.Status { return e.status }

// ErrorOf makes an *Error of what an RPC of the generated code returned; nil of nil. Without an actionable detail its effect is
// EffectUnknown.
func ErrorOf(err error) *Error {
	if err == nil {
		return nil
	}
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	told := status.Convert(err)
	if detail := detailOf(told); detail != nil {
		e := fromDetail(detail)
		e.status, e.Answered = told, true
		return e
	}
	return &Error{
		Code:      code.Code(told.Code()).String(),
		Message:   "No answer came from Tether, and nobody here can know what the call left behind: read with Get before it is made again.",
		Effect:    EffectUnknown,
		Retryable: !final(told.Code()),
		status:    told,
		cause:     err,
	}
}

// final are the statuses that an identical repeat would meet again, whoever said them.
func final(status codes.Code) bool {
	switch status {
	case codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.PermissionDenied, codes.FailedPrecondition,
		codes.OutOfRange, codes.Unimplemented, codes.Unauthenticated:
		return true
	default:
		return false
	}
}

// Failure returns why an action is not SUCCEEDED, where there is more to say than its state; else nil.
func Failure(action *Action) *Error {
	if action.GetError() == nil {
		return nil
	}
	return fromDetail(action.GetError())
}

func detailOf(told *status.Status) *tetherv1.ActionableError {
	for _, detail := range told.Details() {
		if detail, ok := detail.(*tetherv1.ActionableError); ok {
			return detail
		}
	}
	return nil
}

func fromDetail(detail *tetherv1.ActionableError) *Error {
	e := &Error{
		Code:       detail.GetCode(),
		Message:    detail.GetMessage(),
		Field:      detail.GetField(),
		Received:   raw(detail.GetReceivedJson()),
		Limit:      raw(detail.GetLimitJson()),
		Effect:     detail.GetEffect(),
		Retryable:  detail.GetRetryable(),
		RetryAfter: detail.GetRetryAfter().AsDuration(),
		status:     status.New(codes.OK, ""),
	}
	for _, accepted := range detail.GetAcceptedJson() {
		e.Accepted = append(e.Accepted, raw(accepted))
	}
	for _, move := range detail.GetAlternatives() {
		e.Alternatives = append(e.Alternatives, Alternative{
			Action:      move.GetAction(),
			Tool:        move.GetTool(),
			Arguments:   raw(move.GetArgumentsJson()),
			Description: move.GetDescription(),
			Extra:       raw(move.GetExtraJson()),
		})
	}
	return e
}

// raw is JSON text as it came, with every digit; nil when there is none.
func raw(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

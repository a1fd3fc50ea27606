package tether

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	tetherv1 "tether.internal/tether/gen/tether/v1"
)

// The contract's messages under names that are short to write. Their fields are documented there.
type (
	// Action is one staged write, from proposal to outcome.
	Action = tetherv1.Action
	// ActionEvent is one transition of an action, from the audit trail.
	ActionEvent = tetherv1.ActionEvent
	// Tool is a tool as the catalog declares it: what a harness hands to its model.
	Tool = tetherv1.Tool
	// Filter says which actions are meant; conditions that are set must all hold. Nil: all that the key may see.
	Filter = tetherv1.ActionFilter
	// Difference is one place where two answers of a precondition's read differ.
	Difference = tetherv1.Difference
	// State says where an action stands.
	State = tetherv1.ActionState
	// Effect is the most that something may have left behind. Ordered: EffectNone < EffectUnknown < EffectApplied.
	Effect = tetherv1.Effect
	// Status is the outcome of a confirm.
	Status = tetherv1.ConfirmStatus
	// Disposition is what an endpoint can say about an attempt.
	Disposition = tetherv1.ProbeDisposition
)

// Where an action stands.
const (
	StatePending            = tetherv1.ActionState_ACTION_STATE_PENDING
	StateExecuting          = tetherv1.ActionState_ACTION_STATE_EXECUTING
	StateIndeterminate      = tetherv1.ActionState_ACTION_STATE_INDETERMINATE
	StateSucceeded          = tetherv1.ActionState_ACTION_STATE_SUCCEEDED
	StateRefused            = tetherv1.ActionState_ACTION_STATE_REFUSED
	StateFailed             = tetherv1.ActionState_ACTION_STATE_FAILED
	StatePreconditionFailed = tetherv1.ActionState_ACTION_STATE_PRECONDITION_FAILED
	StateRejected           = tetherv1.ActionState_ACTION_STATE_REJECTED
	StateExpired            = tetherv1.ActionState_ACTION_STATE_EXPIRED
	StateSuperseded         = tetherv1.ActionState_ACTION_STATE_SUPERSEDED
)

// What something left behind.
const (
	EffectNone    = tetherv1.Effect_EFFECT_NONE
	EffectUnknown = tetherv1.Effect_EFFECT_UNKNOWN
	EffectApplied = tetherv1.Effect_EFFECT_APPLIED
)

// The outcome of a confirm.
const (
	StatusExecuted           = tetherv1.ConfirmStatus_CONFIRM_STATUS_EXECUTED
	StatusReplayed           = tetherv1.ConfirmStatus_CONFIRM_STATUS_REPLAYED
	StatusRefused            = tetherv1.ConfirmStatus_CONFIRM_STATUS_REFUSED
	StatusFailedRetryable    = tetherv1.ConfirmStatus_CONFIRM_STATUS_FAILED_RETRYABLE
	StatusFailed             = tetherv1.ConfirmStatus_CONFIRM_STATUS_FAILED
	StatusIndeterminate      = tetherv1.ConfirmStatus_CONFIRM_STATUS_INDETERMINATE
	StatusPreconditionFailed = tetherv1.ConfirmStatus_CONFIRM_STATUS_PRECONDITION_FAILED
)

// Word returns an enum's value as the documents spell it, without its type's prefix: PENDING for StatePending.
func Word(value protoreflect.Enum) string {
	enum := value.Descriptor()
	known := enum.Values().ByNumber(value.Number())
	if known == nil {
		return "UNSPECIFIED"
	}
	// By the style that buf's lint holds, every value begins with its type's name, and the zero ends in UNSPECIFIED.
	zero := string(enum.Values().Get(0).Name())
	return strings.TrimPrefix(string(known.Name()), strings.TrimSuffix(zero, "UNSPECIFIED"))
}

// Settled tells whether the action waits for nobody and is not under way. An INDETERMINATE one is not settled: nobody knows
// what came of it yet, and a person should look.
func Settled(action *Action) bool {
	switch action.GetState() {
	case StatePending, StateExecuting, StateIndeterminate, tetherv1.ActionState_ACTION_STATE_UNSPECIFIED:
		return false
	default:
		return true
	}
}

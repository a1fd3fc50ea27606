package ledger

import (
	"encoding/json"
	"fmt"
	"time"

	"tether.internal/tether/endpoint"
)

// entry is what is known of a key.
type entry struct {
	tenant, tool string
	// digest of the arguments; empty if nobody but a probe has come with this key.
	digest  string
	attempt int
	state   state
	// leftBehind: a refused attempt left something behind outside of its transaction, so nobody is told "not executed" any more.
	leftBehind bool
	result     json.RawMessage
	refusal    *endpoint.Refused
}

// state of an entry. Of refused and withdrawn, a call of that attempt or one before it is never applied any more; a call of a
// later one is one that a person confirmed since, and is evaluated anew.
type state string

const (
	// applied: the write was made, for ever, whatever attempt or deadline a later call has.
	applied state = "applied"
	// refused: the attempt was refused by the vendor's own rules.
	refused state = "refused"
	// withdrawn: somebody was told that the attempt, and all before it, are not executed.
	withdrawn state = "withdrawn"
)

// judgeWrite is what the entry of a key means for a call, asked while the key is held. False: there is nothing against the write.
// True: the outcome is the answer, and nothing may be done.
func judgeWrite(e *entry, write endpoint.Attempt, inTime bool) (endpoint.Outcome, bool) {
	if e != nil {
		switch {
		case !e.isAbout(write.Question) || e.digest != "" && e.digest != write.ArgumentsDigest:
			return keyReused(write), true
		case e.state == applied:
			// A repeat of what was done before the deadline gets its result at any time.
			return endpoint.Outcome{Result: e.result, Replayed: true}, true
		case e.state == refused && e.attempt == write.Attempt:
			return endpoint.Outcome{Refused: e.refusal, Replayed: true}, true
		case write.Attempt <= e.attempt:
			return endpoint.Outcome{Late: &endpoint.Late{
				Code:    "attempt_withdrawn",
				Message: fmt.Sprintf("Attempt %d is withdrawn: it was told not to be executed, and nothing was done.", write.Attempt),
			}}, true
		}
	}
	return pastDeadline(write), !inTime
}

// judgeProbe is what the entry means for a question. False: nothing was executed, and before that is said it has to be made sure
// of. forgotten: an entry of this key would have been deleted by now, so that there being none says nothing.
func judgeProbe(e *entry, question endpoint.Question, forgotten bool) (endpoint.Told, bool) {
	unknown := endpoint.Told{Disposition: endpoint.Unknown}
	told := endpoint.Told{Disposition: endpoint.NotExecuted}
	switch {
	case e == nil && forgotten:
		return unknown, true
	case e == nil:
		return told, false
	case !e.isAbout(question):
		return unknown, true
	case e.state == applied:
		return endpoint.Told{Disposition: endpoint.Executed, Result: e.result}, true
	case e.leftBehind:
		return unknown, true
	case e.attempt < question.Attempt:
		return told, false
	}
	if e.state == refused && e.attempt == question.Attempt {
		told.Refused = e.refusal
	}
	return told, true
}

// isAbout tells whether the entry is about the same tool for the same tenant: another's result is never given away.
func (e *entry) isAbout(question endpoint.Question) bool {
	return e.tenant == question.Tenant && e.tool == question.Tool
}

func keyReused(write endpoint.Attempt) endpoint.Outcome {
	received, _ := json.Marshal(write.Key)
	return endpoint.Outcome{Refused: &endpoint.Refused{
		Code: "idempotency_key_reused",
		Message: fmt.Sprintf("The key %s was used before, for another call than this one of %s; nothing was done. "+
			"A key belongs to one tool and one set of arguments.", write.Key, write.Tool),
		Field: "request_id", ReceivedJSON: string(received), Effect: endpoint.EffectNone,
	}}
}

func pastDeadline(write endpoint.Attempt) endpoint.Outcome {
	return endpoint.Outcome{Late: &endpoint.Late{
		Code: "past_deadline",
		Message: fmt.Sprintf("The call is past its deadline (%s); nothing was done.",
			write.Deadline.UTC().Format(time.RFC3339Nano)),
	}}
}

package endpoint

import (
	"context"
	"encoding/json"
	"time"
)

// Ledger remembers which writes were made. The package ledger has one for PostgreSQL, whose transaction is handed to the
// handlers of writes as Tx.
type Ledger[Tx any] interface {
	// Once does the work at most one time for each key, and answers a repeat with what came of it the first time. Who comes with
	// the same key at the same time waits. When the work returns an error, nothing of it stays: one for which refused has a
	// record is recorded and returned as that; any other is returned as it is.
	Once(ctx context.Context, write Attempt, work Work[Tx], refused func(error) *Refused) (Outcome, error)
	// Probe answers at once; before it says "not executed" it makes sure of it.
	Probe(ctx context.Context, question Question) (Told, error)
}

// Work is a write, done in the transaction that also records it; returns its result as JSON text.
type Work[Tx any] func(ctx context.Context, tx Tx) (json.RawMessage, error)

// Question asks what became of this attempt of a write, and of those before it.
type Question struct {
	// Key is the idempotency key.
	Key string
	// Tenant is the tenant's id.
	Tenant string
	Tool   string
	// Attempt counts from 1.
	Attempt int
}

// Attempt is an attempt of a write, as it came.
type Attempt struct {
	Question
	// ArgumentsDigest is sha256: and hex digits, over the RFC 8785 form of the arguments.
	ArgumentsDigest string
	Deadline        time.Time
}

// Outcome is what came of a call. One of Result, Refused and Late is set.
type Outcome struct {
	// Result is the JSON text that is sent.
	Result json.RawMessage
	// Refused says why the vendor refused it.
	Refused *Refused
	// Late: nothing was wrong with the call but the time, and nothing was done.
	Late *Late
	// Replayed is true when an earlier call had come to it.
	Replayed bool
}

// Late says that a call came too late.
type Late struct {
	// Code is past_deadline, or attempt_withdrawn for one that somebody was told is not executed.
	Code    string
	Message string
}

// Disposition is what is known of an attempt.
type Disposition string

// What is known of an attempt.
const (
	// Executed: it was, and the result is what was answered, or would have been.
	Executed Disposition = "executed"
	// NotExecuted is a promise: neither this attempt nor an earlier one will ever be applied.
	NotExecuted Disposition = "not_executed"
	// InProgress: it is being worked on.
	InProgress Disposition = "in_progress"
	// Unknown: the ledger cannot tell.
	Unknown Disposition = "unknown"
)

// Told is the answer to a [Question].
type Told struct {
	Disposition Disposition
	// Result, if it was executed.
	Result json.RawMessage
	// Refused, if that is why it was not executed.
	Refused *Refused
}

// None is the transaction of an endpoint that has only reads.
type None struct{}

// ReadsOnly is for an endpoint that has no writes, and so nothing to remember.
func ReadsOnly() Ledger[None] { return readsOnly{} }

type readsOnly struct{}

func (readsOnly) Once(context.Context, Attempt, Work[None], func(error) *Refused) (Outcome, error) {
	panic("endpoint: a write without a ledger")
}

func (readsOnly) Probe(context.Context, Question) (Told, error) {
	return Told{Disposition: Unknown}, nil
}

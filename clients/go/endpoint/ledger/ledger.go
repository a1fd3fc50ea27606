// Package ledger keeps the record of which writes were made in the vendor's own PostgreSQL, in the table tether_ledger. A write
// is one transaction:
//
//	begin → hold the key → look at its entry → the handler's change → record the result → commit
//
// Whoever comes with the same key waits at "hold", in whatever process and language, and then sees the entry. The deadline is
// checked by the database's clock twice: before the handler runs, and in the statement that records. A process that dies
// anywhere before the commit leaves nothing, after it the change and its record. A refusal rolls this transaction back, and is
// recorded in one of its own: by then nobody may have come in between, or what they left is the answer.
package ledger

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tether.internal/tether/endpoint"
)

// Schema makes the table, for PostgreSQL 13 or newer. [Ledger.Migrate] runs it; or run it with your own migrations.
//
//go:embed ledger.sql
var Schema string

// Ledger is an [endpoint.Ledger] in PostgreSQL.
type Ledger[Tx any] struct {
	transactions Transactions[Tx]
	turns        turns
	keepDays     int
}

// Option changes how [New] sets a ledger up.
type Option func(*options)

type options struct{ keepDays int }

// KeepDays is how long an entry is kept after it was last touched; 90 by default, at least 31: an action can wait for its next
// attempt for 30. A probe about an action that is older gets "unknown", and never "not executed".
func KeepDays(days int) Option { return func(o *options) { o.keepDays = days } }

// New makes a ledger over the vendor's own way to open transactions; [SQL] is one over database/sql, and the package pgxledger
// over pgx.
func New[Tx any](transactions Transactions[Tx], opts ...Option) *Ledger[Tx] {
	o := options{keepDays: 90}
	for _, option := range opts {
		option(&o)
	}
	return &Ledger[Tx]{transactions: transactions, keepDays: max(31, o.keepDays)}
}

// errOvertaken: another transaction took the key between two of ours, so look again.
var errOvertaken = errors.New("tether_ledger: overtaken")

// mostTries: once is all that can happen where the lock holds; more than a few times is a table that contradicts itself.
const mostTries = 5

func untilNotOvertaken[T any](try func() (T, error)) (came T, err error) {
	for range mostTries {
		if came, err = try(); !errors.Is(err, errOvertaken) {
			return came, err
		}
	}
	return came, misuse("the key is taken again and again; nothing was done")
}

// rollBack ends a transaction that has to be rolled back, with what is answered then.
type rollBack struct{ instead endpoint.Outcome }

func (rollBack) Error() string { return "tether_ledger: the write is rolled back" }

// Once does the work at most one time for each key.
func (l *Ledger[Tx]) Once(
	ctx context.Context, write endpoint.Attempt, work endpoint.Work[Tx], refused func(error) *endpoint.Refused,
) (endpoint.Outcome, error) {
	done, err := l.turns.take(ctx, write.Key)
	if err != nil {
		return endpoint.Outcome{}, err
	}
	defer done()
	return untilNotOvertaken(func() (endpoint.Outcome, error) { return l.write(ctx, write, work, refused) })
}

func (l *Ledger[Tx]) write(
	ctx context.Context, write endpoint.Attempt, work endpoint.Work[Tx], refused func(error) *endpoint.Refused,
) (outcome endpoint.Outcome, err error) {
	// What the work returned, however the transaction wraps it.
	var thrown error
	err = l.committed(ctx, func(ctx context.Context, tx Tx) error {
		thrown = nil
		held, err := l.hold(ctx, tx, hold, write.Key)
		if err != nil {
			return err
		}
		entry, now, err := l.look(ctx, tx, held)
		if err != nil {
			return err
		}
		judged, against := judgeWrite(entry, write, now.Before(write.Deadline))
		if against {
			outcome = judged
			return nil
		}
		result, err := work(ctx, tx)
		if err != nil {
			thrown = err
			return err
		}
		outcome = endpoint.Outcome{Result: result}
		return l.record(ctx, tx, held, write, result)
	})
	var instead rollBack
	switch {
	case err == nil:
		return outcome, nil
	case errors.Is(err, errMisuse):
		return endpoint.Outcome{}, err
	case errors.As(err, &instead):
		return instead.instead, nil
	case thrown == nil:
		return endpoint.Outcome{}, err
	}
	refusal := refused(thrown)
	if refusal == nil {
		return endpoint.Outcome{}, thrown
	}
	err = l.committed(ctx, func(ctx context.Context, tx Tx) error {
		outcome, err = l.recordRefused(ctx, tx, write, refusal)
		return err
	})
	return outcome, err
}

// Probe answers from the ledger; before it says "not executed" it makes sure of it.
func (l *Ledger[Tx]) Probe(ctx context.Context, question endpoint.Question) (endpoint.Told, error) {
	return untilNotOvertaken(func() (endpoint.Told, error) { return l.ask(ctx, question) })
}

func (l *Ledger[Tx]) ask(ctx context.Context, question endpoint.Question) (told endpoint.Told, err error) {
	err = l.committed(ctx, func(ctx context.Context, tx Tx) error {
		held, err := l.hold(ctx, tx, tryHold, question.Key)
		if err != nil {
			return err
		}
		if !held.mine {
			told = endpoint.Told{Disposition: endpoint.InProgress}
			return nil
		}
		entry, now, err := l.look(ctx, tx, held)
		if err != nil {
			return err
		}
		var sure bool
		if told, sure = judgeProbe(entry, question, forgotten(question.Key, now, l.keepDays)); sure {
			return nil
		}
		row, err := l.transactions.Query(ctx, tx, withdraw, question.Key, question.Tenant, question.Tool, strconv.Itoa(question.Attempt))
		if err == nil && row == nil {
			return errOvertaken
		}
		return err
	})
	return told, err
}

// Migrate makes the table if it is not there; the same as running [Schema].
func (l *Ledger[Tx]) Migrate(ctx context.Context) error {
	return l.committed(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := l.hold(ctx, tx, hold, "schema"); err != nil {
			return err
		}
		for statement := range strings.SplitSeq(comment.ReplaceAllString(Schema, ""), ";") {
			if strings.TrimSpace(statement) == "" {
				continue
			}
			if _, err := l.transactions.Query(ctx, tx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

var comment = regexp.MustCompile(`(?m)--.*$`)

// Prune deletes what is older than it has to be kept, and returns how many entries that were. Call it once a day.
func (l *Ledger[Tx]) Prune(ctx context.Context) (all int, err error) {
	for {
		gone := 0
		err := l.committed(ctx, func(ctx context.Context, tx Tx) error {
			row, err := l.transactions.Query(ctx, tx, deleteOld, strconv.Itoa(l.keepDays))
			if err == nil {
				gone, err = strconv.Atoi(row.text("gone"))
			}
			return err
		})
		all += gone
		if err != nil || gone == 0 {
			return all, err
		}
	}
}

// committed is the work in a transaction of its own, committed when it returns nil.
func (l *Ledger[Tx]) committed(ctx context.Context, work func(context.Context, Tx) error) error {
	failed := errors.New("it was not run")
	err := l.transactions.InTx(ctx, func(ctx context.Context, tx Tx) error {
		failed = work(ctx, tx)
		return failed
	})
	if err == nil && failed != nil {
		return misuse("the transaction was said to be committed, but its work was not done: %w", failed)
	}
	return err
}

func (l *Ledger[Tx]) record(ctx context.Context, tx Tx, held held, write endpoint.Attempt, result json.RawMessage) error {
	row, err := l.transactions.Query(ctx, tx, record, write.Key, write.Tenant, write.Tool, write.ArgumentsDigest,
		strconv.Itoa(write.Attempt), string(result), timestamp(write.Deadline), held.began, held.backend)
	if err != nil || row != nil {
		return err
	}
	_, now, err := l.look(ctx, tx, held)
	if err != nil {
		return err
	}
	if now.Before(write.Deadline) {
		return errOvertaken
	}
	return rollBack{pastDeadline(write)}
}

func (l *Ledger[Tx]) recordRefused(
	ctx context.Context, tx Tx, write endpoint.Attempt, refusal *endpoint.Refused,
) (endpoint.Outcome, error) {
	refused := endpoint.Outcome{Refused: refusal}
	held, err := l.hold(ctx, tx, hold, write.Key)
	if err != nil {
		return refused, err
	}
	entry, _, err := l.look(ctx, tx, held)
	if err != nil {
		return refused, err
	}
	if judged, against := judgeWrite(entry, write, true); against {
		if judged.Late != nil {
			// Withdrawn meanwhile: that nothing was done is as true of a refusal.
			return refused, nil
		}
		return judged, nil
	}
	text, err := json.Marshal(refusal)
	if err != nil {
		return refused, err
	}
	row, err := l.transactions.Query(ctx, tx, recordRefusal, write.Key, write.Tenant, write.Tool, write.ArgumentsDigest,
		strconv.Itoa(write.Attempt), string(text), strconv.FormatBool(refusal.Effect != endpoint.EffectNone))
	if err == nil && row == nil {
		return refused, errOvertaken
	}
	return refused, err
}

// forgotten tells whether an entry of this key would have been deleted by now, so that there being none says nothing. The key is
// an action's id, a UUIDv7, which tells when it was staged; of any other key nothing is known.
func forgotten(key string, now time.Time, keepDays int) bool {
	if !uuidV7.MatchString(key) {
		return false
	}
	staged, err := strconv.ParseInt(key[:12], 16, 64)
	// A day less, for two clocks that differ.
	return err == nil && now.Sub(time.UnixMilli(staged)) > time.Duration(keepDays-1)*24*time.Hour
}

var uuidV7 = regexp.MustCompile(`^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$`)

// timestamp is a time as PostgreSQL reads it. It keeps microseconds: cut off, so that a deadline never moves back in time.
func timestamp(t time.Time) string {
	return t.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
}

// errMisuse: the ledger was given something that is no transaction as it needs it. Nothing that was promised holds; somebody has
// to mend it.
var errMisuse = errors.New("tether_ledger")

func misuse(format string, values ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errMisuse}, values...)...)
}

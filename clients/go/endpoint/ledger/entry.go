package ledger

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"tether.internal/tether/endpoint"
)

// held is a key, and the transaction that holds it.
type held struct {
	key, began, backend string
	// mine is false when somebody else holds it.
	mine bool
}

// hold takes a key until the transaction ends, by the statement that waits or by the one that does not.
func (l *Ledger[Tx]) hold(ctx context.Context, tx Tx, statement, key string) (held, error) {
	row, err := l.only(ctx, tx, statement, key)
	if err != nil {
		return held{}, err
	}
	if isolation := row.text("isolation"); isolation != "read committed" {
		return held{}, misuse("the transaction is %s, and must be read committed: what waits for another call could not see what "+
			"that one did. Lock the rows that a handler decides by (select … for update)", isolation)
	}
	return held{key, row.text("began"), row.text("backend"), row.text("held") != "false"}, nil
}

// look reads the entry of a key that is held; nil when there is none. The time is the database's.
func (l *Ledger[Tx]) look(ctx context.Context, tx Tx, held held) (*entry, time.Time, error) {
	row, err := l.only(ctx, tx, look, held.key)
	if err != nil {
		return nil, time.Time{}, err
	}
	if row.text("began") != held.began || row.text("backend") != held.backend {
		return nil, time.Time{}, misuse("the statements of one write went to several transactions. InTx must open one and hand it " +
			"to the work, Query must run its statements in it, and a handler must not commit or roll back")
	}
	seconds, err := strconv.ParseFloat(row.text("now"), 64)
	if err != nil {
		return nil, time.Time{}, misuse("the column now is no number: %w", err)
	}
	now := time.UnixMicro(int64(seconds * 1e6))
	if row["state"] == nil {
		return nil, now, nil
	}
	attempt, err := strconv.Atoi(row.text("attempt"))
	if err != nil {
		return nil, now, misuse("the column attempt is no number: %w", err)
	}
	e := &entry{
		tenant: row.text("tenant"), tool: row.text("tool"), digest: row.text("digest"), attempt: attempt,
		state: state(row.text("state")), leftBehind: row.text("left") == "true", result: json.RawMessage(row.text("result")),
	}
	if e.state == refused {
		e.refusal = new(endpoint.Refused)
		if err := json.Unmarshal([]byte(row.text("refusal")), e.refusal); err != nil {
			return nil, now, misuse("the refusal that is recorded for a call of %s cannot be read: %w", e.tool, err)
		}
	}
	return e, now, nil
}

func (l *Ledger[Tx]) only(ctx context.Context, tx Tx, statement, key string) (Row, error) {
	row, err := l.transactions.Query(ctx, tx, statement, key)
	if err == nil && row == nil {
		return nil, misuse("a statement answered no row; Query must return the first")
	}
	return row, err
}

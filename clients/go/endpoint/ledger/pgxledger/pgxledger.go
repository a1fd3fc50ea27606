// Package pgxledger is the ledger for users of pgx: handlers of writes are given a pgx.Tx.
package pgxledger

import (
	"context"

	"github.com/jackc/pgx/v5"

	"tether.internal/tether/endpoint/ledger"
)

// Beginner opens transactions: a *pgxpool.Pool, or what stands in front of one.
type Beginner interface {
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
}

// New is a ledger over pgx.
func New(pool Beginner, opts ...ledger.Option) *ledger.Ledger[pgx.Tx] {
	return ledger.New(overPgx{pool}, opts...)
}

type overPgx struct{ pool Beginner }

func (o overPgx) InTx(ctx context.Context, work func(context.Context, pgx.Tx) error) error {
	tx, err := o.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return err
	}
	// After a commit it does nothing.
	defer func() { _ = tx.Rollback(ctx) }()
	if err := work(ctx, tx); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

func (overPgx) Query(ctx context.Context, tx pgx.Tx, statement string, values ...string) (ledger.Row, error) {
	args := make([]any, len(values))
	for i, value := range values {
		args[i] = value
	}
	rows, err := tx.Query(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var row ledger.Row
	for rows.Next() {
		fields := rows.FieldDescriptions()
		into := make([]any, len(fields))
		for i := range fields {
			into[i] = new(*string)
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row = make(ledger.Row, len(fields))
		for i, field := range fields {
			row[field.Name] = *into[i].(**string)
		}
	}
	return row, rows.Err()
}

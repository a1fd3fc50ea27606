package ledger

import (
	"context"
	"database/sql"
)

// Transactions are all that a ledger needs of the vendor's own access to PostgreSQL. One small interface, so that the write and
// its record go through the same transaction, whoever opens it: a driver, a mapper, or a function of the vendor's.
type Transactions[Tx any] interface {
	// InTx runs the work in one READ COMMITTED transaction, and only there: it returns nil when that is committed; when the work
	// returns an error, it rolls back and returns that error, or one that wraps it.
	InTx(ctx context.Context, work func(ctx context.Context, tx Tx) error) error
	// Query runs one statement in the transaction, with $1, $2 … in it, and returns its first row; nil when there is none. All
	// columns are texts or null.
	Query(ctx context.Context, tx Tx, statement string, values ...string) (Row, error)
}

// Row is a row by its columns' names; nil for null.
type Row map[string]*string

// text of a column; empty for null.
func (r Row) text(column string) string {
	if value := r[column]; value != nil {
		return *value
	}
	return ""
}

// SQL is a ledger over database/sql, with any driver for PostgreSQL that takes $1: pgx's own, or pq. Handlers of writes are given
// a *sql.Tx.
func SQL(db *sql.DB, opts ...Option) *Ledger[*sql.Tx] {
	return New(overSQL{db}, opts...)
}

type overSQL struct{ db *sql.DB }

func (o overSQL) InTx(ctx context.Context, work func(context.Context, *sql.Tx) error) error {
	tx, err := o.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return err
	}
	// After a commit it does nothing.
	defer func() { _ = tx.Rollback() }()
	if err := work(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (overSQL) Query(ctx context.Context, tx *sql.Tx, statement string, values ...string) (Row, error) {
	args := make([]any, len(values))
	for i, value := range values {
		args[i] = value
	}
	rows, err := tx.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var row Row
	for rows.Next() {
		into := make([]any, len(names))
		row = make(Row, len(names))
		for i := range names {
			into[i] = new(*string)
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		for i, name := range names {
			row[name] = *into[i].(**string)
		}
	}
	return row, rows.Err()
}

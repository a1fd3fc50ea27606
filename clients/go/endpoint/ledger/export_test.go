package ledger

import (
	"context"
	"database/sql"
)

// QueryForTest is a statement of database/sql in a transaction, for tests that open those in ways of their own.
func (l *Ledger[Tx]) QueryForTest(ctx context.Context, tx *sql.Tx, statement string, values ...string) (Row, error) {
	return overSQL{}.Query(ctx, tx, statement, values...)
}

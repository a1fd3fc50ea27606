package ledger_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"tether.internal/tether/endpoint"
	"tether.internal/tether/endpoint/ledger"
)

func openDatabase(t *testing.T) *sql.DB {
	t.Helper()
	url := os.Getenv("HARNESS_DATABASE_URL")
	if url == "" {
		t.Skip("needs a PostgreSQL: npx vitest run test/clients/go starts one and runs this")
	}
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := ledger.SQL(db).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db
}

// newAttempt is of a key that was made at that time, as Tether makes them.
func newAttempt(made time.Time) endpoint.Attempt {
	random := make([]byte, 10)
	_, _ = rand.Read(random)
	key := fmt.Sprintf("%012x7%s8%s", made.UnixMilli(), hex.EncodeToString(random[:2])[:3], hex.EncodeToString(random[2:])[:15])
	return endpoint.Attempt{
		Question:        endpoint.Question{Key: key, Tenant: "acme", Tool: "void_ticket", Attempt: 1},
		ArgumentsDigest: "sha256:0", Deadline: time.Now().Add(time.Minute),
	}
}

func done(context.Context, *sql.Tx) (json.RawMessage, error) { return json.RawMessage(`"done"`), nil }

func noRefusal(error) *endpoint.Refused { return nil }

// odd is a vendor's own way to open transactions, which is wrong.
type odd struct {
	db        *sql.DB
	isolation sql.IsolationLevel
	swallows  bool
	// elsewhere: statements go to the pool.
	elsewhere bool
}

func (o odd) InTx(ctx context.Context, work func(context.Context, *sql.Tx) error) error {
	tx, err := o.db.BeginTx(ctx, &sql.TxOptions{Isolation: o.isolation})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := work(ctx, tx); err != nil && !o.swallows {
		return err
	}
	return tx.Commit()
}

func (o odd) Query(ctx context.Context, tx *sql.Tx, statement string, values ...string) (ledger.Row, error) {
	if !o.elsewhere {
		return ledger.SQL(o.db).QueryForTest(ctx, tx, statement, values...)
	}
	other, err := o.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = other.Commit() }()
	return ledger.SQL(o.db).QueryForTest(ctx, other, statement, values...)
}

func TestWhatIsNoTransactionAsItMustBeIsAnErrorAndNeverAnAnswer(t *testing.T) {
	db := openDatabase(t)
	fails := errors.New("the handler failed")
	for name, each := range map[string]struct {
		transactions odd
		work         endpoint.Work[*sql.Tx]
	}{
		"repeatable read":         {odd{db: db, isolation: sql.LevelRepeatableRead}, done},
		"serializable":            {odd{db: db, isolation: sql.LevelSerializable}, done},
		"statements to the pool":  {odd{db: db, elsewhere: true}, done},
		"errors that are dropped": {odd{db: db, swallows: true}, func(context.Context, *sql.Tx) (json.RawMessage, error) { return nil, fails }},
	} {
		outcome, err := ledger.New(each.transactions).Once(t.Context(), newAttempt(time.Now()), each.work, noRefusal)
		if err == nil || !strings.HasPrefix(err.Error(), "tether_ledger: ") || outcome.Result != nil {
			t.Errorf("%s: got %v, %v", name, outcome, err)
		}
	}
}

func TestAKeyWhoseEntryWouldBeDeletedByNowIsNotCalledNotExecuted(t *testing.T) {
	record := ledger.SQL(openDatabase(t), ledger.KeepDays(40))
	for days, want := range map[int]endpoint.Disposition{10: endpoint.NotExecuted, 41: endpoint.Unknown} {
		attempt := newAttempt(time.Now().AddDate(0, 0, -days))
		if told, err := record.Probe(t.Context(), attempt.Question); err != nil || told.Disposition != want {
			t.Errorf("of %d days ago it told %v, %v", days, told, err)
		}
	}
}

func TestWhatIsOlderThanItIsKeptGoesAndNothingElse(t *testing.T) {
	db := openDatabase(t)
	record := ledger.SQL(db, ledger.KeepDays(40))
	old, young := newAttempt(time.Now()), newAttempt(time.Now())
	for _, attempt := range []endpoint.Attempt{old, young} {
		if _, err := record.Once(t.Context(), attempt, done, noRefusal); err != nil {
			t.Fatal(err)
		}
	}
	_, err := db.Exec(`update tether_ledger set updated_at = now() - interval '41 days' where key = $1`, old.Key)
	if err != nil {
		t.Fatal(err)
	}
	if gone, err := record.Prune(t.Context()); err != nil || gone != 1 {
		t.Errorf("%d went, %v", gone, err)
	}
	if told, err := record.Probe(t.Context(), young.Question); err != nil || told.Disposition != endpoint.Executed {
		t.Errorf("of the young one it tells %v, %v", told, err)
	}
}

func TestARefusalThatLeftSomethingBehindIsNotCalledNotExecuted(t *testing.T) {
	record := ledger.SQL(openDatabase(t))
	attempt := newAttempt(time.Now())
	refusal := &endpoint.Refused{Code: "half_done", Message: "The mail is out.", Effect: endpoint.EffectApplied}
	outcome, err := record.Once(t.Context(), attempt,
		func(context.Context, *sql.Tx) (json.RawMessage, error) { return nil, errors.New("half done") },
		func(error) *endpoint.Refused { return refusal })
	if err != nil || outcome.Refused != refusal {
		t.Fatalf("got %v, %v", outcome, err)
	}
	if told, err := record.Probe(t.Context(), attempt.Question); err != nil || told.Disposition != endpoint.Unknown {
		t.Errorf("it tells %v, %v", told, err)
	}
}

func TestWhenTheFirstOfTwoFailsTheSecondMakesTheChange(t *testing.T) {
	record := ledger.SQL(openDatabase(t))
	attempt := newAttempt(time.Now())
	begun, fail := make(chan struct{}), make(chan struct{})
	first := make(chan error)
	go func() {
		_, err := record.Once(t.Context(), attempt, func(context.Context, *sql.Tx) (json.RawMessage, error) {
			close(begun)
			<-fail
			return nil, errors.New("the handler failed")
		}, noRefusal)
		first <- err
	}()
	<-begun
	second := make(chan endpoint.Outcome)
	go func() {
		outcome, err := record.Once(t.Context(), attempt, done, noRefusal)
		if err != nil {
			t.Error(err)
		}
		second <- outcome
	}()
	close(fail)
	if err := <-first; err == nil {
		t.Error("the first did not fail")
	}
	if outcome := <-second; string(outcome.Result) != `"done"` || outcome.Replayed {
		t.Errorf("the second got %v", outcome)
	}
}

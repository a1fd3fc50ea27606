package pgxledger_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"tether.internal/tether/endpoint"
	"tether.internal/tether/endpoint/ledger/pgxledger"
)

func TestWithPgxAWriteIsMadeOnceAndFenced(t *testing.T) {
	url := os.Getenv("HARNESS_DATABASE_URL")
	if url == "" {
		t.Skip("needs a PostgreSQL: npx vitest run test/clients/go starts one and runs this")
	}
	ctx := t.Context()
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	record := pgxledger.New(pool)
	if err := record.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	key := make([]byte, 16)
	_, _ = rand.Read(key)
	write := endpoint.Attempt{
		Question:        endpoint.Question{Key: hex.EncodeToString(key), Tenant: "acme", Tool: "void_ticket", Attempt: 1},
		ArgumentsDigest: "sha256:0", Deadline: time.Now().Add(time.Minute),
	}
	refused := func(error) *endpoint.Refused { return nil }
	var mu sync.Mutex
	times := 0
	work := func(ctx context.Context, tx pgx.Tx) (json.RawMessage, error) {
		mu.Lock()
		defer mu.Unlock()
		times++
		_, err := tx.Exec(ctx, "select 1")
		return json.RawMessage(`{ "at": "` + rand.Text() + `" }`), err
	}
	outcomes := make([]endpoint.Outcome, 30)
	var all sync.WaitGroup
	for i := range outcomes {
		all.Go(func() {
			outcome, err := record.Once(ctx, write, work, refused)
			if err != nil {
				t.Error(err)
			}
			outcomes[i] = outcome
		})
	}
	all.Wait()
	for _, outcome := range outcomes {
		if string(outcome.Result) != string(outcomes[0].Result) || outcome.Result == nil {
			t.Fatalf("got %v beside %v", outcome, outcomes[0])
		}
	}
	if times != 1 {
		t.Errorf("the work was done %d times", times)
	}
	told, err := record.Probe(ctx, write.Question)
	if err != nil || told.Disposition != endpoint.Executed || string(told.Result) != string(outcomes[0].Result) {
		t.Errorf("a probe was told %v, %v", told, err)
	}

	fenced := write
	fenced.Key = hex.EncodeToString(key[:15]) + "00"
	if told, err := record.Probe(ctx, fenced.Question); err != nil || told.Disposition != endpoint.NotExecuted {
		t.Errorf("a probe was told %v, %v", told, err)
	}
	outcome, err := record.Once(ctx, fenced, work, refused)
	if err != nil || outcome.Late == nil || times != 1 {
		t.Errorf("the withdrawn attempt got %v, %v", outcome, err)
	}
	if gone, err := record.Prune(ctx); err != nil || gone != 0 {
		t.Errorf("%d entries were old, %v", gone, err)
	}
}

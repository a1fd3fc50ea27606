package endpoint_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"tether.internal/tether/endpoint"
)

func TestDuplicatesThatComeAtOnceAreOneWriteAndOneAnswer(t *testing.T) {
	db := openDatabase(t)
	// Two processes of one vendor, each with its own memory.
	shops := []*endpoint.Endpoint[*sql.Tx]{openShop(t, db), openShop(t, db)}
	write := newCall("void_ticket")
	answers := make([]answer, 60)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = write.to(shops[i%len(shops)]) })
	}
	all.Wait()
	for _, got := range answers {
		if got != answers[0] || got.status != 200 || got.member("times") != "1" {
			t.Fatalf("got %v beside %v", got, answers[0])
		}
	}
	if times := voids(t, db, write.ticket()); times != 1 {
		t.Errorf("the ticket was voided %d times", times)
	}
}

func TestAKeyThatComesWithSomethingElseIsRefused(t *testing.T) {
	db := openDatabase(t)
	shop := openShop(t, db)
	write := newCall("void_ticket")
	write.args = `{"ticket_id":"` + write.ticket() + `","note":1}`
	first := write.to(shop)

	spelt := write
	spelt.args = `{ "note" : 1.0, "ticket_id" : "` + write.ticket() + `" }`
	if got := spelt.to(shop); got != first {
		t.Errorf("the same arguments in another spelling got %v, want %v", got, first)
	}
	other, foreign := write, write
	other.args = `{"ticket_id":"T-other"}`
	foreign.tenant = "somebody else"
	for _, wrong := range []call{other, foreign} {
		got := wrong.to(shop)
		if got.status != 200 || got.member("error") != "idempotency_key_reused" || got.member("effect") != "none" {
			t.Errorf("got %v, want a refusal of the key", got)
		}
	}
	if voids(t, db, write.ticket()) != 1 || voids(t, db, "T-other") != 0 {
		t.Error("a refused call was made")
	}
	if told := foreign.probe().to(shop); told.member("disposition") != "unknown" {
		t.Errorf("another tenant was told %v", told)
	}
}

func TestNotExecutedIsKept(t *testing.T) {
	db := openDatabase(t)
	shop := openShop(t, db)
	write := newCall("void_ticket")
	write.attempt = 2
	if told := write.probe().to(shop); told.body != `{"disposition":"not_executed"}` {
		t.Fatalf("the probe was told %v", told)
	}
	for _, attempt := range []int{1, 2} {
		late := write
		late.attempt = attempt
		if got := late.to(shop); got.status != 425 || got.member("error") != "attempt_withdrawn" {
			t.Errorf("the late attempt %d got %v", attempt, got)
		}
	}
	if times := voids(t, db, write.ticket()); times != 0 {
		t.Fatalf("a withdrawn attempt voided the ticket %d times", times)
	}
	// A person confirmed once more.
	write.attempt = 3
	done := write.to(shop)
	if done.status != 200 || voids(t, db, write.ticket()) != 1 {
		t.Errorf("the next attempt got %v", done)
	}
	if told := write.probe().to(shop); told.body != `{"disposition":"executed","result":`+done.body+`}` {
		t.Errorf("after it the probe was told %v, want the result of %v", told, done)
	}
}

func TestWhileAWriteIsMadeAProbeIsToldSo(t *testing.T) {
	db := openDatabase(t)
	shop := openShop(t, db)
	working, goOn := make(chan struct{}), make(chan struct{})
	endpoint.Write(shop, "slow", func(context.Context, *sql.Tx, ticket, *endpoint.Call) (any, error) {
		close(working)
		<-goOn
		return "done", nil
	})
	write := newCall("slow")
	done := make(chan answer)
	go func() { done <- write.to(shop) }()
	<-working
	if told := write.probe().to(shop); told.body != `{"disposition":"in_progress"}` {
		t.Errorf("the probe was told %v", told)
	}
	close(goOn)
	if got := <-done; got.body != `"done"` {
		t.Errorf("the write got %v", got)
	}
}

func TestNothingIsWrittenAfterTheDeadline(t *testing.T) {
	db := openDatabase(t)
	shop := openShop(t, db)
	late := newCall("void_ticket")
	late.deadline = time.Now().Add(-time.Second)
	if got := late.to(shop); got.status != 425 || got.member("error") != "past_deadline" {
		t.Errorf("a call past its deadline got %v", got)
	}

	// One that is in time when it begins, and not when it ends.
	slow := newCall("slow")
	slow.deadline = time.Now().Add(400 * time.Millisecond)
	endpoint.Write(shop, "slow", func(ctx context.Context, tx *sql.Tx, args ticket, call *endpoint.Call) (any, error) {
		result, err := voidTicket(ctx, tx, args, call)
		<-ctx.Done()
		return result, err
	})
	if got := slow.to(shop); got.status == 200 {
		t.Errorf("a call that outlasted its deadline got %v", got)
	}
	if voids(t, db, late.ticket())+voids(t, db, slow.ticket()) != 0 {
		t.Error("something was written after a deadline")
	}
	// A repeat of what was done in time gets its result at any time.
	write := newCall("void_ticket")
	first := write.to(shop)
	write.deadline = time.Now().Add(-time.Hour)
	if again := write.to(shop); again != first {
		t.Errorf("a late repeat got %v, want %v", again, first)
	}
}

func TestARefusalChangesNothingAndIsToldTheSameAgain(t *testing.T) {
	db := openDatabase(t)
	shop := openShop(t, db)
	times := 0
	endpoint.Write(shop, "refund", func(ctx context.Context, tx *sql.Tx, args ticket, call *endpoint.Call) (any, error) {
		times++
		if _, err := voidTicket(ctx, tx, args, call); err != nil {
			return nil, err
		}
		return nil, &endpoint.Refusal{
			Code: "amount_exceeds_paid", Message: "60 USD are more than the 44 USD that are left.", Field: "amount_usd",
			Received: 60, Limit: 44, Accepted: []any{44, "all"},
			Alternatives: []endpoint.Alternative{{
				Action: "refund_rest", Tool: "refund", Arguments: map[string]any{"amount_usd": 44}, Extra: map[string]any{"a": "<b>"},
			}},
		}
	})
	write := newCall("refund")
	const want = `{"error":"amount_exceeds_paid","message":"60 USD are more than the 44 USD that are left.","field":"amount_usd",` +
		`"received":60,"limit":44,"accepted":[44,"all"],"effect":"none","retryable":false,"alternatives":[{"action":"refund_rest",` +
		`"tool":"refund","arguments":{"amount_usd":44},"a":"<b>"}]}`
	for range 2 {
		if got := write.to(shop); got != (answer{200, want}) {
			t.Fatalf("got %v, want %s", got, want)
		}
	}
	if times != 1 || voids(t, db, write.ticket()) != 0 {
		t.Errorf("it was asked %d times, and voided the ticket %d times", times, voids(t, db, write.ticket()))
	}
	if told := write.probe().to(shop); told.body != `{"disposition":"not_executed","refusal":`+want+`}` {
		t.Errorf("the probe was told %v", told)
	}
	// What a person confirmed since is looked at anew.
	write.attempt = 2
	if write.to(shop); times != 2 {
		t.Error("the next attempt was not looked at")
	}
}

func TestWhatFailsIsRolledBackAndNobodysBusiness(t *testing.T) {
	db := openDatabase(t)
	var logged []endpoint.Answered
	shop := openShop(t, db, endpoint.OnAnswered(func(answered endpoint.Answered) { logged = append(logged, answered) }))
	secretive := errors.New("password=hunter2")
	endpoint.Write(shop, "breaks", func(ctx context.Context, tx *sql.Tx, args ticket, call *endpoint.Call) (any, error) {
		_, _ = voidTicket(ctx, tx, args, call)
		return nil, secretive
	})
	endpoint.Write(shop, "panics", func(ctx context.Context, tx *sql.Tx, args ticket, call *endpoint.Call) (any, error) {
		_, _ = voidTicket(ctx, tx, args, call)
		panic(secretive)
	})
	endpoint.Write(shop, "lies", func(ctx context.Context, tx *sql.Tx, args ticket, call *endpoint.Call) (any, error) {
		_, _ = voidTicket(ctx, tx, args, call)
		return map[string]any{"error": "no"}, nil
	})
	for _, tool := range []string{"breaks", "panics", "lies"} {
		write := newCall(tool)
		got := write.to(shop)
		if got.status != 500 || strings.Contains(got.body, "hunter2") || voids(t, db, write.ticket()) != 0 {
			t.Errorf("%s got %v and voided the ticket %d times", tool, got, voids(t, db, write.ticket()))
		}
		if last := logged[len(logged)-1]; last.Outcome != "failed" || last.Err == nil || last.Tool != tool {
			t.Errorf("the log has %v", last)
		}
		if told := write.probe().to(shop); told.body != `{"disposition":"not_executed"}` {
			t.Errorf("the probe of %s was told %v", tool, told)
		}
	}
}

func TestAHandlerThatEndsTheTransactionItselfIsFoundOut(t *testing.T) {
	db := openDatabase(t)
	shop := openShop(t, db, endpoint.OnAnswered(func(endpoint.Answered) {}))
	endpoint.Write(shop, "commits", func(ctx context.Context, tx *sql.Tx, args ticket, call *endpoint.Call) (any, error) {
		_, err := tx.ExecContext(ctx, "commit; begin")
		return "done", err
	})
	if got := newCall("commits").to(shop); got.status != 500 {
		t.Errorf("got %v", got)
	}
}

package tether_test

import (
	"testing"

	"tether.internal/tether"
)

func TestAConfirmWhoseAnswerIsLostIsAnsweredWithoutASecondCall(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	proxy := startCutting(t, p.address)
	approver := p.dial("APPROVER", proxy.address)
	name := ticket("lost")
	action := p.stage(ctx, name)

	proxy.cutAnswer.Store(true)
	confirmed, err := approver.Confirm(ctx, tether.ConfirmationOf(action))
	if err != nil {
		t.Fatal(err)
	}
	if cuts := proxy.cuts.Load(); cuts != 1 {
		t.Fatalf("%d answers were cut, want 1", cuts)
	}
	if !confirmed.Succeeded() || !confirmed.IdempotentReplay {
		t.Errorf("got %s, replay %t, want a success from the record", tether.Word(confirmed.Status), confirmed.IdempotentReplay)
	}
	if used := p.action(ctx, action.GetId()).GetAttemptsUsed(); used != 1 {
		t.Errorf("%d attempts were used, want 1", used)
	}
	if calls := p.calls(name); calls != "1" {
		t.Errorf("the vendor got %s calls, want 1", calls)
	}
}

func TestAConfirmThatNeverArrivedIsSentAgain(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	proxy := startCutting(t, p.address)
	approver := p.dial("APPROVER", proxy.address)
	name := ticket("unsent")
	action := p.stage(ctx, name)

	proxy.cutRequest.Store(true)
	confirmed, err := approver.Confirm(ctx, tether.ConfirmationOf(action))
	if err != nil {
		t.Fatal(err)
	}
	if confirmed.Status != tether.StatusExecuted || proxy.cuts.Load() != 1 || p.calls(name) != "1" {
		t.Errorf("got %s after %d cuts and %s calls", tether.Word(confirmed.Status), proxy.cuts.Load(), p.calls(name))
	}
}

func TestAConfirmThatIsCutWhileTheVendorWorksWaitsForItsOutcome(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	proxy := startCutting(t, p.address)
	approver := p.dial("APPROVER", proxy.address)
	name := ticket("held")
	action := p.stage(ctx, name)

	type outcome struct {
		confirmed *tether.Confirmed
		err       error
	}
	came := make(chan outcome)
	go func() {
		confirmed, err := approver.Confirm(ctx, tether.ConfirmationOf(action))
		came <- outcome{confirmed, err}
	}()
	p.direct("/arrived", name)
	proxy.cut()
	// The repeat is told that the confirm is in flight.
	select {
	case <-proxy.answered:
	case <-ctx.Done():
		t.Fatal("the confirm was not repeated")
	}
	p.direct("/let-go", name)
	got := <-came
	if got.err != nil {
		t.Fatal(got.err)
	}
	if !got.confirmed.Succeeded() || p.calls(name) != "1" {
		t.Errorf("got %s after %s calls, want a success after 1", tether.Word(got.confirmed.Status), p.calls(name))
	}
}

func TestNoMachineMakesASecondAttempt(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	proxy := startCutting(t, p.address)
	approver := p.dial("APPROVER", proxy.address)
	name := ticket("busy")
	shown := p.stage(ctx, name)

	proxy.cutAnswer.Store(true)
	// The vendor turned the attempt away, and the answer that says so is lost.
	confirmed, err := approver.Confirm(ctx, tether.ConfirmationOf(shown))
	if err != nil {
		t.Fatal(err)
	}
	if confirmed.Status != tether.StatusFailedRetryable || proxy.cuts.Load() != 1 || p.calls(name) != "1" {
		t.Fatalf("got %s after %d cuts and %s calls, want FAILED_RETRYABLE after 1 and 1",
			tether.Word(confirmed.Status), proxy.cuts.Load(), p.calls(name))
	}
	if failure := confirmed.Failure; failure == nil || !failure.Retryable || failure.Effect != tether.EffectNone {
		t.Errorf("the failure is %v, want one that left nothing behind and can be repeated", failure)
	}
	// Whoever decided before knows of no attempt: neither a program that starts over, nor one that only has the id.
	for _, stale := range []tether.Confirmation{tether.ConfirmationOf(shown), {ActionID: shown.GetId()}} {
		again, err := approver.Confirm(ctx, stale)
		if err != nil {
			t.Fatal(err)
		}
		if again.Status != tether.StatusFailedRetryable || !again.IdempotentReplay || p.calls(name) != "1" {
			t.Fatalf("a repeat got %s after %s calls, want FAILED_RETRYABLE after 1", tether.Word(again.Status), p.calls(name))
		}
	}
	// A person who is shown the failure decides anew.
	decided, err := approver.Confirm(ctx, tether.ConfirmationOf(confirmed.Action))
	if err != nil {
		t.Fatal(err)
	}
	if decided.Status != tether.StatusExecuted || p.calls(name) != "2" {
		t.Errorf("got %s after %s calls, want EXECUTED after 2", tether.Word(decided.Status), p.calls(name))
	}
}

func TestAPlanIsConfirmedUntilOneDoesNotSucceed(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	names := []string{ticket("plan"), ticket("busy"), ticket("plan")}
	var entries []tether.Confirmation
	for _, name := range names {
		entries = append(entries, tether.ConfirmationOf(p.stage(ctx, name)))
	}
	var said []string
	for verdict, err := range p.dial("APPROVER", "").ConfirmPlan(ctx, entries) {
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case verdict.Confirmed != nil:
			said = append(said, tether.Word(verdict.Confirmed.Status))
		case verdict.Refused != nil:
			said = append(said, verdict.Refused.Code)
		case verdict.NotRun != "":
			said = append(said, "not run")
		}
	}
	if len(said) != 3 || said[0] != "EXECUTED" || said[1] != "FAILED_RETRYABLE" || said[2] != "not run" {
		t.Errorf("the plan's verdicts are %q", said)
	}
	if calls := p.calls(names[2]); calls != "0" {
		t.Errorf("the entry that was not run was called %s times", calls)
	}
}

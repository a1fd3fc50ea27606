package tether_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"tether.internal/tether"
)

// told is the next thing that a watch tells; the test is over when there is none.
func told(t *testing.T, next func() (*tether.Update, error, bool)) *tether.Update {
	t.Helper()
	update, err, ok := next()
	if err != nil || !ok {
		t.Fatalf("the watch ended: %v", err)
	}
	return update
}

func TestAWatchThatIsCutGoesOnWhereItWas(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	proxy := startCutting(t, p.address)
	plan := ticket("plan-of-watch")
	filter := &tether.Filter{PlanId: plan}
	propose := func(name string) string {
		call := voiding(name)
		call.PlanID = plan
		staged, err := p.dial("AGENT", "").Stage(ctx, call)
		if err != nil {
			t.Fatal(err)
		}
		return staged.Action.GetId()
	}
	first := propose(ticket("watched"))
	next, stop := iter.Pull2(p.dial("APPROVER", proxy.address).Watch(ctx, tether.WatchRequest{Filter: filter}))
	defer stop()

	if update := told(t, next); update.Action.GetId() != first || update.Event != nil || update.Cursor != "" {
		t.Fatalf("the snapshot is %v", update)
	}
	if update := told(t, next); !update.SnapshotComplete {
		t.Fatalf("after the snapshot came %v", update)
	}
	proxy.refused.Store(true)
	proxy.cut()
	second := propose(ticket("watched"))
	proxy.refused.Store(false)
	// No second snapshot, and nothing missed.
	update := told(t, next)
	if update.Action.GetId() != second || tether.Word(update.Event.GetType()) != "STAGED" {
		t.Fatalf("after the cut came %v", update)
	}

	// Another program goes on from the cursor.
	third := propose(ticket("watched"))
	later, stopLater := iter.Pull2(p.dial("APPROVER", "").Watch(ctx, tether.WatchRequest{Filter: filter, Cursor: update.Cursor}))
	defer stopLater()
	if update := told(t, later); update.Action.GetId() != third || update.Event == nil {
		t.Errorf("from the cursor on came %v", update)
	}
}

func TestAWatchThatIsCutWithinItsSnapshotBeginsAnew(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	proxy := startCutting(t, p.address)
	name := ticket("watched")
	call := voiding(name)
	call.PlanID = ticket("plan-of-snapshot")
	if _, err := p.dial("AGENT", "").Stage(ctx, call); err != nil {
		t.Fatal(err)
	}
	proxy.cutAnswer.Store(true)
	next, stop := iter.Pull2(p.dial("APPROVER", proxy.address).Watch(ctx, tether.WatchRequest{Filter: &tether.Filter{PlanId: call.PlanID}}))
	defer stop()
	if update := told(t, next); update.Action.GetPlanId() != call.PlanID || update.Event != nil {
		t.Errorf("the snapshot is %v", update)
	}
	if update := told(t, next); !update.SnapshotComplete || proxy.cuts.Load() != 1 {
		t.Errorf("after the snapshot and %d cuts came %v", proxy.cuts.Load(), update)
	}
}

func TestAWatchEndsWithItsContextOrWithTheServersNo(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	enough := errors.New("enough")
	watched, end := context.WithCancelCause(ctx)
	defer end(nil)
	var last error
	for update, err := range p.dial("APPROVER", "").Watch(watched, tether.WatchRequest{}) {
		if last = err; err == nil && update.SnapshotComplete {
			end(enough)
		}
	}
	if !errors.Is(last, enough) {
		t.Errorf("the watch ended with %v", last)
	}

	for _, err := range p.dial("APPROVER", "").Watch(ctx, tether.WatchRequest{Cursor: "nobody's"}) {
		last = err
	}
	if failure := failureOf(t, last); failure.Code != "INVALID_CURSOR" {
		t.Errorf("a cursor of nobody's got %v", failure)
	}
}

func TestAWatchOfAServerThatIsNotThereEnds(t *testing.T) {
	client, err := tether.Dial(nobodys(t), tether.WithKey("k"), tether.WithPatience(0))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var last error
	for _, err := range client.Watch(within(t), tether.WatchRequest{}) {
		last = err
	}
	if failure := failureOf(t, last); failure.Code != "UNAVAILABLE" || failure.Effect != tether.EffectNone {
		t.Errorf("got %v", failure)
	}
}

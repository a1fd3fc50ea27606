package tether_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"tether.internal/tether"
)

func TestAStageWhoseAnswerIsLostReturnsTheActionThatItMade(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	proxy := startCutting(t, p.address)
	agent := p.dial("AGENT", proxy.address)
	proxy.cutAnswer.Store(true)
	staged, err := agent.Stage(ctx, voiding(ticket("staged")))
	if err != nil {
		t.Fatal(err)
	}
	if proxy.cuts.Load() != 1 || !staged.IdempotentReplay || staged.Action.GetState() != tether.StatePending {
		t.Errorf("got %v after %d cuts", staged, proxy.cuts.Load())
	}
	var preview struct {
		Preview  bool
		ActionID string `json:"action_id"`
	}
	if err := json.Unmarshal([]byte(staged.ModelJSON), &preview); err != nil || !preview.Preview || preview.ActionID != staged.Action.GetId() {
		t.Errorf("the model is told %s", staged.ModelJSON)
	}
}

func TestARequestIDFindsTheActionFromAnotherProcess(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	call := voiding(ticket("staged"))
	call.RequestID = ticket("request")
	staged, err := p.dial("AGENT", "").Stage(ctx, call)
	if err != nil {
		t.Fatal(err)
	}
	found, err := p.dial("AGENT", "").Get(ctx, tether.ByRequestID(call.RequestID))
	if err != nil || found.Action.GetId() != staged.Action.GetId() {
		t.Errorf("got %v, %v", found, err)
	}
}

func TestNumbersArriveWithEveryDigit(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	approver := p.dial("APPROVER", "")
	confirmation := tether.ConfirmationOf(p.stage(ctx, ticket("big")))
	confirmation.IdempotencyKey = ticket("key")
	const want = `{"total":9007199254740993,"rate":0.1000000000000000055}`
	confirmed, err := approver.Confirm(ctx, confirmation)
	if err != nil || string(confirmed.Result) != want {
		t.Fatalf("the result is %v, %v", confirmed, err)
	}
	replayed, err := approver.Replay(ctx, tether.ByIdempotencyKey(confirmation.IdempotencyKey))
	if err != nil || string(replayed.Result) != want {
		t.Errorf("the replayed result is %v, %v", replayed, err)
	}
}

func TestARejectionIsToldWithItsReason(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	approver := p.dial("APPROVER", "")
	action := p.stage(ctx, ticket("rejected"))
	for _, replay := range []bool{false, true} {
		rejected, err := approver.Reject(ctx, action.GetId(), "Not today.")
		if err != nil {
			t.Fatal(err)
		}
		if !tether.Settled(rejected.Action) || rejected.Action.GetRejectionReason() != "Not today." || rejected.IdempotentReplay != replay {
			t.Errorf("got %v, want a rejection, replay %t", rejected, replay)
		}
	}
}

func TestAnAmendmentSupersedes(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	action := p.stage(ctx, ticket("amended"))
	amended, err := p.dial("APPROVER", "").Amend(ctx, tether.Amendment{
		ActionID:  action.GetId(),
		Arguments: map[string]string{"ticket_id": ticket("amended-to")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if amended.Superseded.GetState() != tether.StateSuperseded || amended.Action.GetSupersedes() != action.GetId() {
		t.Errorf("got %v", amended)
	}
}

func TestADoubtIsResolvedByAPerson(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	approver := p.dial("APPROVER", "")
	action := p.stage(ctx, "T-4")
	confirmed, err := approver.Confirm(ctx, tether.ConfirmationOf(action))
	if err != nil {
		t.Fatal(err)
	}
	if confirmed.Status != tether.StatusIndeterminate || tether.Settled(confirmed.Action) {
		t.Fatalf("got %s", tether.Word(confirmed.Status))
	}
	resolved, err := approver.Resolve(ctx, tether.Resolution{
		ActionID: action.GetId(), Landed: true, Result: json.RawMessage(`{"status":"void"}`), Note: "It is void in the till.",
		ExpectedAttempts: 1, ObservedAt: time.Now(),
	})
	if err != nil || resolved.Action.GetState() != tether.StateSucceeded {
		t.Errorf("got %v, %v", resolved, err)
	}
	_, err = approver.ProbeNow(ctx, action.GetId())
	if failure := failureOf(t, err); failure.Code != "NOT_IN_DOUBT" {
		t.Errorf("a probe of what is in no doubt got %v", failure)
	}
}

func TestActionsAreListedPageByPage(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	agent := p.dial("AGENT", "")
	plan := ticket("plan-of-pages")
	var want []string
	for range 3 {
		call := voiding(ticket("listed"))
		call.PlanID = plan
		staged, err := agent.Stage(ctx, call)
		if err != nil {
			t.Fatal(err)
		}
		want = slices.Insert(want, 0, staged.Action.GetId())
	}
	filter := &tether.Filter{PlanId: plan}
	var got []string
	for action, err := range agent.All(ctx, filter) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, action.GetId())
	}
	if !slices.Equal(got, want) {
		t.Errorf("listed were %q, want %q", got, want)
	}
	page, next, err := agent.List(ctx, filter, tether.Page{Size: 2})
	if err != nil || len(page) != 2 || next == "" {
		t.Errorf("the first page has %d actions and the cursor %q, %v", len(page), next, err)
	}
	events, _, more, err := p.dial("APPROVER", "").ListEvents(ctx, want[0], tether.Page{})
	if err != nil || len(events) != 1 || more {
		t.Errorf("the trail is %v, more %t, %v", events, more, err)
	}
}

func TestToolsComeWithTheirSchemas(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	tools, err := p.dial("AGENT", "").ListTools(ctx)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(tools, func(tool *tether.Tool) bool { return tool.GetName() == "void_ticket" })
	if i < 0 || !tools[i].GetIsWrite() || !json.Valid([]byte(tools[i].GetInputSchemaJson())) {
		t.Errorf("the tools are %v", tools)
	}
}

func TestAReadRuns(t *testing.T) {
	p, ctx := openPlace(t), within(t)
	call := tether.ToolCall{Tool: "get_ticket", Arguments: json.RawMessage(`{"ticket_id":"T-9"}`)}
	called, err := p.dial("AGENT", "").Call(ctx, call)
	if err != nil || string(called.Result) != `{"ticket_id":"T-9","status":"open"}` || called.Action != nil {
		t.Errorf("got %v, %v", called, err)
	}
}

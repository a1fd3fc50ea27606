package endpoint_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"tether.internal/tether/endpoint"
)

// readingShop has no ledger, and needs no database.
func readingShop(t *testing.T, signing endpoint.Signing, options ...endpoint.Option) *endpoint.Endpoint[endpoint.None] {
	t.Helper()
	options = append([]endpoint.Option{endpoint.OnAnswered(func(endpoint.Answered) {})}, options...)
	shop, err := endpoint.New(endpoint.ReadsOnly(), signing, options...)
	if err != nil {
		t.Fatal(err)
	}
	endpoint.Read(shop, "get_ticket", func(_ context.Context, args ticket, call *endpoint.Call) (any, error) {
		if args.ID == "T-0" {
			return nil, &endpoint.Refusal{Code: "no_such_ticket", Message: "There is no ticket T-0.", Field: "ticket_id"}
		}
		return map[string]any{"ticket_id": args.ID, "tenant": call.Tenant.ID}, nil
	})
	endpoint.Read(shop, "raw", func(context.Context, json.RawMessage, *endpoint.Call) (any, error) {
		return json.RawMessage(`{ "total": 9007199254740993 }`), nil
	})
	endpoint.Read(shop, "large", func(context.Context, json.RawMessage, *endpoint.Call) (any, error) {
		return strings.Repeat("x", 300_000), nil
	})
	return shop
}

func reading(tool, args string) call {
	read := newCall(tool)
	read.mode, read.args = "read", args
	return read
}

func TestAReadIsAnswered(t *testing.T) {
	shop := readingShop(t, endpoint.SignedBy(secret))
	for _, each := range []struct {
		call call
		want answer
	}{
		{reading("get_ticket", `{"ticket_id":"T-1"}`), answer{200, `{"tenant":"acme","ticket_id":"T-1"}`}},
		{reading("raw", `{}`), answer{200, `{ "total": 9007199254740993 }`}},
		{reading("get_ticket", `{"ticket_id":"T-0"}`), answer{200,
			`{"error":"no_such_ticket","message":"There is no ticket T-0.","field":"ticket_id","effect":"none","retryable":false}`}},
	} {
		if got := each.call.to(shop); got != each.want {
			t.Errorf("got %v, want %v", got, each.want)
		}
	}
}

func TestWhatIsNotAnsweredIsRefusedWithItsReason(t *testing.T) {
	shop := readingShop(t, endpoint.SignedBy(secret))
	write := reading("get_ticket", `{"ticket_id":"T-1"}`)
	write.mode = "execute"
	for want, call := range map[string]call{
		"unknown_tool":      reading("get_tickets", `{}`),
		"wrong_mode":        write,
		"invalid_arguments": reading("get_ticket", `{"ticket_id":7}`),
		"result_too_large":  reading("large", `{}`),
	} {
		if got := call.to(shop); got.status != 200 || got.member("error") != want || got.member("message") == "" {
			t.Errorf("got %v, want %s", got, want)
		}
	}
	late := reading("get_ticket", `{"ticket_id":"T-1"}`)
	late.deadline = time.Now().Add(-time.Second)
	if got := late.to(shop); got.status != 425 {
		t.Errorf("a read past its deadline got %v", got)
	}
	if told := write.probe().to(shop); told.body != `{"disposition":"unknown"}` {
		t.Errorf("without a ledger a probe was told %v", told)
	}
}

func TestOnlyWhatIsSignedComesIn(t *testing.T) {
	const other = "whsec_b3RoZXItb3RoZXItb3RoZXItb3RoZXItb3RoZXI="
	read := reading("get_ticket", `{"ticket_id":"T-1"}`)
	for name, each := range map[string]struct {
		signing endpoint.Signing
		change  func(*http.Request)
		want    int
	}{
		"signed":               {endpoint.SignedBy(secret), func(*http.Request) {}, 200},
		"with the second one":  {endpoint.SignedBy(other + " " + secret), func(*http.Request) {}, 200},
		"with another secret":  {endpoint.SignedBy(other), func(*http.Request) {}, 401},
		"not signed":           {endpoint.SignedBy(secret), func(r *http.Request) { r.Header.Del("webhook-signature") }, 401},
		"about something else": {endpoint.SignedBy(secret), func(r *http.Request) { sign(r.Header, secret, []byte("{}")) }, 401},
		"too old":              {endpoint.SignedBy(secret), func(r *http.Request) { r.Header.Set("webhook-timestamp", "1700000000") }, 401},
		"to whom takes all":    {endpoint.Unsigned(), func(r *http.Request) { r.Header.Del("webhook-signature") }, 200},
	} {
		request := read.request("http://shop/tools")
		each.change(request)
		if got := ask(readingShop(t, each.signing), request); got.status != each.want {
			t.Errorf("%s: got %v, want %d", name, got, each.want)
		}
	}
	for _, bad := range []string{"", "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA==", "whsec_c2hvcnQ=", "whsec_?"} {
		if _, err := endpoint.New(endpoint.ReadsOnly(), endpoint.SignedBy(bad)); err == nil || bad != "" && strings.Contains(err.Error(), bad) {
			t.Errorf("the secret %q got %v", bad, err)
		}
	}
}

func TestWhatIsNoCallIsTurnedAway(t *testing.T) {
	shop := readingShop(t, endpoint.Unsigned(), endpoint.MaxRequestBytes(1000))
	good := string(reading("get_ticket", `{"ticket_id":"T-1"}`).body())
	for _, each := range []struct {
		method, body string
		status       int
		field        string
	}{
		{"POST", "", 400, ""},
		{"POST", "null", 400, ""},
		{"POST", strings.Replace(good, `"request_id"`, `"Request_ID"`, 1), 400, "request_id"},
		{"POST", strings.Replace(good, `"attempt":1`, `"attempt":0`, 1), 400, "attempt"},
		{"POST", strings.Replace(good, `"attempt":1`, `"attempt":1.5`, 1), 400, "attempt"},
		{"POST", strings.Replace(good, `"read"`, `"READ"`, 1), 400, "mode"},
		{"POST", strings.Replace(good, `{"ticket_id":"T-1"}`, `[]`, 1), 400, "args"},
		{"POST", strings.Replace(good, `"deadline":"`, `"deadline":"x`, 1), 400, "deadline"},
		{"POST", good + strings.Repeat(" ", 1000), 413, ""},
		{"GET", "", 405, ""},
	} {
		request, err := http.NewRequest(each.method, "http://shop/tools", strings.NewReader(each.body))
		if err != nil {
			t.Fatal(err)
		}
		if got := ask(shop, request); got.status != each.status || got.member("field") != each.field {
			t.Errorf("%.80q got %v, want %d about %q", each.body, got, each.status, each.field)
		}
	}
	request := reading("get_ticket", `{"ticket_id":"T-1"}`).request("http://shop/tools")
	request.Header.Set("X-Tether-Idempotency-Key", "another")
	if got := ask(shop, request); got.status != 400 || got.member("field") != "request_id" {
		t.Errorf("two different keys got %v", got)
	}
}

func TestAnEndpointThatWouldDoAWriteTwiceIsNotMade(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a write was declared without a ledger")
		}
	}()
	shop := readingShop(t, endpoint.Unsigned())
	endpoint.Write(shop, "void", func(context.Context, endpoint.None, ticket, *endpoint.Call) (any, error) { return nil, nil })
}

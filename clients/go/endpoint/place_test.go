package endpoint_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"tether.internal/tether/endpoint"
	"tether.internal/tether/endpoint/ledger"
)

const secret = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA=="

// openDatabase is the one that test/clients/go made for this run, with the ledger and a table for what writes do.
func openDatabase(t testing.TB) *sql.DB {
	t.Helper()
	url := os.Getenv("HARNESS_DATABASE_URL")
	if url == "" {
		t.Skip("needs a PostgreSQL: npx vitest run test/clients/go starts one and runs this")
	}
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(8)
	t.Cleanup(func() { db.Close() })
	prepare(t, db)
	return db
}

func prepare(t testing.TB, db *sql.DB) {
	t.Helper()
	if err := ledger.SQL(db).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := db.ExecContext(t.Context(), `
		do $$ begin
			perform pg_advisory_xact_lock(1);
			create table if not exists voided (ticket text not null, at timestamptz not null default clock_timestamp());
		end $$`)
	if err != nil {
		t.Fatal(err)
	}
}

type ticket struct {
	ID string `json:"ticket_id"`
}

// voidTicket is a write as a vendor would have it. It says how many times the ticket has been voided, which is what must be one.
func voidTicket(ctx context.Context, tx *sql.Tx, args ticket, _ *endpoint.Call) (any, error) {
	if _, err := tx.ExecContext(ctx, `insert into voided (ticket) values ($1)`, args.ID); err != nil {
		return nil, err
	}
	var times int
	err := tx.QueryRowContext(ctx, `select count(*) from voided where ticket = $1`, args.ID).Scan(&times)
	return map[string]any{"ticket_id": args.ID, "times": times, "nonce": rand.Text()}, err
}

// openShop is an endpoint with void_ticket and whatever else a test declares.
func openShop(t testing.TB, db *sql.DB, options ...endpoint.Option) *endpoint.Endpoint[*sql.Tx] {
	t.Helper()
	shop, err := endpoint.New(ledger.SQL(db), endpoint.SignedBy(secret), options...)
	if err != nil {
		t.Fatal(err)
	}
	endpoint.Write(shop, "void_ticket", voidTicket)
	return shop
}

// call is what Tether sends.
type call struct {
	key, tool, mode, args string
	attempt               int
	deadline              time.Time
	tenant                string
}

// newCall is the first attempt of a write of its own.
func newCall(tool string) call {
	key := make([]byte, 16)
	_, _ = rand.Read(key)
	return call{
		key: hex.EncodeToString(key), tool: tool, mode: "execute", attempt: 1, tenant: "acme",
		args: `{"ticket_id":"T-` + rand.Text() + `"}`, deadline: time.Now().Add(time.Minute),
	}
}

func (c call) ticket() string {
	var args ticket
	_ = json.Unmarshal([]byte(c.args), &args)
	return args.ID
}

func (c call) probe() call { c.mode = "probe"; return c }

func (c call) body() []byte {
	tenant := `{"id":"` + c.tenant + `","scope":"","user_id":""}`
	head := `{"request_id":"` + c.key + `","tool":"` + c.tool + `","tenant":` + tenant + `,"mode":"` + c.mode + `","attempt":` +
		strconv.Itoa(c.attempt)
	if c.mode == "probe" {
		return []byte(head + `}`)
	}
	return []byte(head + `,"args":` + c.args + `,"deadline":"` + c.deadline.UTC().Format(time.RFC3339Nano) + `"}`)
}

// request is a call as it goes over the wire, signed.
func (c call) request(url string) *http.Request {
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(c.body()))
	if err != nil {
		panic(err)
	}
	request.Header.Set("X-Tether-Idempotency-Key", c.key)
	sign(request.Header, secret, c.body())
	return request
}

func sign(header http.Header, secret string, body []byte) {
	hook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		panic(err)
	}
	id, now := rand.Text(), time.Now()
	signature, err := hook.Sign(id, now, body)
	if err != nil {
		panic(err)
	}
	header.Set("webhook-id", id)
	header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	header.Set("webhook-signature", signature)
}

type answer struct {
	status int
	body   string
}

// ask sends a call to a handler.
func ask(handler http.Handler, request *http.Request) answer {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return answer{recorder.Code, recorder.Body.String()}
}

func (c call) to(handler http.Handler) answer { return ask(handler, c.request("http://shop/tools")) }

// over sends a call to a server; an error when there was no answer.
func (c call) over(client *http.Client, url string) (answer, error) {
	response, err := client.Do(c.request(url))
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, string(body)}, err
}

// member is a member of an answer that is a JSON object.
func (a answer) member(name string) string {
	var members map[string]json.RawMessage
	_ = json.Unmarshal([]byte(a.body), &members)
	var text string
	if json.Unmarshal(members[name], &text) == nil {
		return text
	}
	return string(members[name])
}

// voids is how many times a ticket was voided.
func voids(t testing.TB, db *sql.DB, ticket string) (times int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), `select count(*) from voided where ticket = $1`, ticket).Scan(&times); err != nil {
		t.Fatal(err)
	}
	return times
}

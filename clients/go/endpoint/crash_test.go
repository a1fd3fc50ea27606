package endpoint_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tether.internal/tether/endpoint"
	"tether.internal/tether/endpoint/ledger"
)

// TestMain is also a vendor's program, which the tests start to kill it.
func TestMain(m *testing.M) {
	if address := os.Getenv("HARNESS_VENDOR_ADDRESS"); address != "" {
		if err := serveDoomed(address); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// answersBeforeDeath is how many calls a doomed vendor answers. Of the next ones the write is committed and the answer never sent.
const answersBeforeDeath = 150

func serveDoomed(address string) error {
	db, err := sql.Open("pgx", os.Getenv("HARNESS_DATABASE_URL"))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(8)
	shop, err := endpoint.New(ledger.SQL(db), endpoint.SignedBy(secret))
	if err != nil {
		return err
	}
	endpoint.Write(shop, "void_ticket", voidTicket)
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Println("ready on", listener.Addr())
	doomed := os.Getenv("HARNESS_VENDOR_DOOMED") != ""
	var answered atomic.Int32
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if doomed {
			w = &mute{ResponseWriter: w, answered: &answered}
		}
		shop.ServeHTTP(w, r)
	}))
}

// mute keeps an answer back for ever, once so many have been given.
type mute struct {
	http.ResponseWriter
	answered *atomic.Int32
}

func (m *mute) WriteHeader(status int) {
	if count := m.answered.Add(1); count > answersBeforeDeath {
		fmt.Println("mute")
		select {}
	}
	m.ResponseWriter.WriteHeader(status)
}

// vendors are a vendor's program over its lives, always at one address.
type vendors struct {
	t       *testing.T
	address string
	mu      sync.Mutex
	// up is closed while one lives.
	up      chan struct{}
	process *exec.Cmd
	lines   *bufio.Scanner
}

func (v *vendors) start(doomed bool) {
	v.t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "HARNESS_VENDOR_ADDRESS="+v.address)
	if doomed {
		command.Env = append(command.Env, "HARNESS_VENDOR_DOOMED=1")
	}
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		v.t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		v.t.Fatal(err)
	}
	v.process, v.lines = command, bufio.NewScanner(output)
	ready := v.until("ready on ")
	v.mu.Lock()
	v.address = strings.TrimPrefix(ready, "ready on ")
	close(v.up)
	v.mu.Unlock()
}

// until reads the process's output up to a line that begins so.
func (v *vendors) until(beginning string) string {
	v.t.Helper()
	for v.lines.Scan() {
		if strings.HasPrefix(v.lines.Text(), beginning) {
			return v.lines.Text()
		}
	}
	v.t.Fatalf("the vendor ended before it said %q", beginning)
	return ""
}

// kill is kill -9.
func (v *vendors) kill() {
	v.mu.Lock()
	v.up = make(chan struct{})
	v.mu.Unlock()
	_ = v.process.Process.Kill()
	_ = v.process.Wait()
}

// url is where one lives, once it does.
func (v *vendors) url() string {
	v.mu.Lock()
	up := v.up
	v.mu.Unlock()
	<-up
	v.mu.Lock()
	defer v.mu.Unlock()
	return "http://" + v.address + "/tools"
}

func TestAThousandDeliveriesToAVendorThatIsKilledAreOneWriteForEachKey(t *testing.T) {
	db := openDatabase(t)
	const keys, deliveries, lives = 50, 1000, 4
	vendor := &vendors{t: t, address: "127.0.0.1:0", up: make(chan struct{})}
	vendor.start(true)
	defer func() { vendor.kill() }()

	writes := make([]call, keys)
	for i := range writes {
		writes[i] = newCall("void_ticket")
		writes[i].deadline = time.Now().Add(10 * time.Minute)
	}
	got := make([]answer, deliveries)
	var lost atomic.Int32
	var all sync.WaitGroup
	work := make(chan int)
	for range 24 {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			for i := range work {
				for {
					answered, err := writes[i%keys].over(client, vendor.url())
					if err == nil {
						got[i] = answered
						break
					}
					// Nobody knows what became of it: it is delivered again.
					lost.Add(1)
				}
			}
		})
	}
	go func() {
		for i := range deliveries {
			work <- i
		}
		close(work)
	}()
	for life := range lives {
		vendor.until("mute")
		vendor.kill()
		vendor.start(life < lives-1)
	}
	all.Wait()

	first := got[:keys]
	for i, answered := range got {
		if answered.status != 200 || answered != first[i%keys] {
			t.Fatalf("delivery %d of key %d got %v, and the first one %v", i, i%keys, answered, first[i%keys])
		}
	}
	for _, write := range writes {
		if times := voids(t, db, write.ticket()); times != 1 {
			t.Errorf("the ticket of key %s was voided %d times", write.key, times)
		}
	}
	if lost.Load() == 0 {
		t.Error("no answer was lost: the test shows nothing")
	}
}

func TestAVendorThatIsKilledBeforeItsCommitHasDoneNothing(t *testing.T) {
	db := openDatabase(t)
	// The lock that the vendor's process would lose with its connection.
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	shop := openShop(t, db, endpoint.OnAnswered(func(endpoint.Answered) {}))
	working := make(chan int)
	endpoint.Write(shop, "slow", func(ctx context.Context, tx *sql.Tx, args ticket, call *endpoint.Call) (any, error) {
		if _, err := voidTicket(ctx, tx, args, call); err != nil {
			return nil, err
		}
		var backend int
		if err := tx.QueryRowContext(ctx, `select pg_backend_pid()`).Scan(&backend); err != nil {
			return nil, err
		}
		working <- backend
		<-working
		return "done", nil
	})
	write := newCall("slow")
	answered := make(chan answer)
	go func() { answered <- write.to(shop) }()
	backend := <-working
	// What a kill -9 is to the database: the connection is gone in the middle.
	if _, err := conn.ExecContext(t.Context(), `select pg_terminate_backend($1, 10000)`, backend); err != nil {
		t.Fatal(err)
	}
	working <- 0
	if got := <-answered; got.status != 500 {
		t.Errorf("the write got %v", got)
	}
	if told := write.probe().to(shop); told.body != `{"disposition":"not_executed"}` || voids(t, db, write.ticket()) != 0 {
		t.Errorf("the probe was told %v, and the ticket is voided %d times", told, voids(t, db, write.ticket()))
	}
}

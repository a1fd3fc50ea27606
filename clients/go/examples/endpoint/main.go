// The smallest whole endpoint: one read, one write that is made at most one time for each key, probes and signatures included,
// over a PostgreSQL of its own.
//
//	DATABASE_URL=postgres://… SIGNING_SECRET=whsec_… PORT=8090 go run ./examples/endpoint
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	_ "github.com/jackc/pgx/v5/stdlib"

	"tether.internal/tether/endpoint"
	"tether.internal/tether/endpoint/ledger"
)

type ticket struct {
	ID     string `json:"ticket_id"`
	Status string `json:"status"`
}

func main() {
	db := must(sql.Open("pgx", os.Getenv("DATABASE_URL")))
	record := ledger.SQL(db)
	must(0, record.Migrate(context.Background()))
	must(db.Exec(`create table if not exists tickets (id text primary key, status text not null)`))
	must(db.Exec(`insert into tickets values ('T-1', 'open'), ('T-2', 'open'), ('T-3', 'paid') on conflict do nothing`))

	shop := must(endpoint.New(record, endpoint.SignedBy(os.Getenv("SIGNING_SECRET"))))
	endpoint.Read(shop, "get_ticket", func(ctx context.Context, args ticket, _ *endpoint.Call) (any, error) {
		err := db.QueryRowContext(ctx, `select status from tickets where id = $1`, args.ID).Scan(&args.Status)
		if errors.Is(err, sql.ErrNoRows) {
			return ticket{args.ID, "not there"}, nil
		}
		return args, err
	})
	endpoint.Write(shop, "void_ticket", func(ctx context.Context, tx *sql.Tx, args ticket, _ *endpoint.Call) (any, error) {
		status := "not there"
		err := tx.QueryRowContext(ctx, `select status from tickets where id = $1 for update`, args.ID).Scan(&status)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
		if status != "open" {
			message := fmt.Sprintf("Ticket %s is %s; only an open one can be voided.", args.ID, status)
			return nil, &endpoint.Refusal{
				Code: "ticket_not_open", Message: message, Field: "ticket_id", Received: status, Accepted: []any{"open"},
			}
		}
		_, err = tx.ExecContext(ctx, `update tickets set status = 'void' where id = $1`, args.ID)
		return ticket{args.ID, "void"}, err
	})

	listener := must(net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT")))
	fmt.Println("ready on port", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, shop))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

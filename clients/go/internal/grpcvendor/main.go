// Grpcvendor is a vendor's program for the tests: one read and one write over a PostgreSQL of its own, as tether.v1.ToolEndpoint
// over gRPC, with the ledger for pgx.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/grpc"

	"tether.internal/tether/endpoint"
	"tether.internal/tether/endpoint/ledger/pgxledger"
)

type ticket struct {
	ID string `json:"ticket_id"`
}

func main() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	record := pgxledger.New(pool)
	if err := record.Migrate(ctx); err != nil {
		log.Fatal(err)
	}
	shop, err := endpoint.New(record, endpoint.SignedBy(os.Getenv("SIGNING_SECRET")))
	if err != nil {
		log.Fatal(err)
	}
	endpoint.Read(shop, "get_over_grpc", func(_ context.Context, args ticket, _ *endpoint.Call) (any, error) {
		return map[string]string{"ticket_id": args.ID}, nil
	})
	endpoint.Write(shop, "void_over_grpc", func(ctx context.Context, tx pgx.Tx, args ticket, call *endpoint.Call) (any, error) {
		if args.ID == "T-0" {
			return nil, &endpoint.Refusal{Code: "no_such_ticket", Message: "There is no ticket T-0.", Field: "ticket_id", Received: "T-0"}
		}
		var backend int
		err := tx.QueryRow(ctx, `select pg_backend_pid()`).Scan(&backend)
		return map[string]any{"ticket_id": args.ID, "status": "void", "attempt": call.Attempt, "backend": backend}, err
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	shop.Register(server)
	fmt.Println("ready on port", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(server.Serve(listener))
}

// Package tether lets a program call Tether over gRPC: a harness proposes what its model wants to change, a person's program
// confirms or rejects it, and whoever lost an answer learns what came of it.
//
//	client, err := tether.Dial("127.0.0.1:50051", tether.WithKey(key))
//	if err != nil { … }
//	defer client.Close()
//	staged, err := client.Stage(ctx, tether.ToolCall{
//		Tool:      "void_ticket",
//		Arguments: map[string]any{"ticket_id": "T-4417", "reason": "entered twice"},
//	})
//
// Messages are those of the contract, generated into gen/tether/v1. This package adds what is tedious or dangerous to write by
// hand: arguments and results as any and json.RawMessage, errors as [Error], and what may be repeated when an answer is lost:
//
//   - a read, since it changes nothing;
//   - a stage, which always carries a request id and so returns the same action;
//   - a confirm, with the same idempotency key and the same count of expected attempts, so that it gets the outcome of the
//     attempt that it made and never makes a second one.
//
// Nothing else is ever repeated, and gRPC's own retries are off. Every method takes its deadline from its context; without one
// a call may take as long as the server does.
package tether

// The scripted harness: what a program that drives a model does with Tether, without a model. It reads, proposes writes, is told
// that they wait, and learns from one stream what somebody else decided and what came of it.
//
//	HARNESS_GRPC_ADDRESS=127.0.0.1:50051 HARNESS_AGENT_KEY=… go run ./examples/harness
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"

	"tether.internal/tether"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	client, err := tether.Dial(os.Getenv("HARNESS_GRPC_ADDRESS"), tether.WithKey(os.Getenv("HARNESS_AGENT_KEY")))
	if err != nil {
		return err
	}
	defer client.Close()

	read, err := client.Call(ctx, toolCall("get_ticket", "T-1"))
	if err != nil {
		return err
	}
	var ticket struct{ Status string }
	if err := json.Unmarshal(read.Result, &ticket); err != nil {
		return err
	}
	fmt.Printf("read get_ticket T-1: %s\n", ticket.Status)

	next, stop := iter.Pull2(client.Watch(ctx, tether.WatchRequest{}))
	defer stop()
	for _, id := range []string{"T-1", "T-2", "T-3", "T-4"} {
		proposed, err := client.Call(ctx, toolCall("void_ticket", id))
		if err != nil {
			return err
		}
		fmt.Printf("propose void_ticket %s: %s\n", id, tether.Word(proposed.Action.GetState()))
		if err := decided(next, proposed.Action.GetId()); err != nil {
			return err
		}
		if err := tell(ctx, client, id, proposed.Action.GetId()); err != nil {
			return err
		}
	}
	return nil
}

func toolCall(tool, ticket string) tether.ToolCall {
	return tether.ToolCall{Tool: tool, Arguments: map[string]string{"ticket_id": ticket}}
}

// decided returns when the stream tells the action in a state in which it waits for nobody and is not under way.
func decided(next func() (*tether.Update, error, bool), id string) error {
	for {
		update, err, _ := next()
		if err != nil {
			return err
		}
		if update.Action.GetId() != id {
			continue
		}
		if state := update.Action.GetState(); state != tether.StatePending && state != tether.StateExecuting {
			return nil
		}
	}
}

// tell prints what the model is told.
func tell(ctx context.Context, client *tether.Client, ticket, id string) error {
	found, err := client.Get(ctx, tether.ByID(id))
	if err != nil {
		return err
	}
	var told struct {
		State, Effect, Error string
		Retryable            bool
		Result               struct{ Status string }
	}
	if err := json.Unmarshal([]byte(found.ModelJSON), &told); err != nil {
		return err
	}
	came := "result.status=" + told.Result.Status
	if told.Error != "" {
		came = fmt.Sprintf("error=%s retryable=%t", told.Error, told.Retryable)
	}
	fmt.Printf("outcome void_ticket %s: %s effect=%s %s\n", ticket, told.State, told.Effect, came)
	return nil
}

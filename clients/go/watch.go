package tether

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"time"

	tetherv1 "tether.internal/tether/gen/tether/v1"
)

// WatchRequest says what to watch.
type WatchRequest struct {
	// Filter says which actions. Nil: all that the key may see.
	Filter *Filter
	// Cursor is that of the last update that was seen: goes on from there. Empty: begins with the actions as they are.
	Cursor string
}

// Update is one thing that a watcher is told.
type Update struct {
	// Action as it was read: the snapshot, or after the change; it may be further on by then. Nil when it is gone.
	Action *Action
	// Event is the change. Nil in a snapshot.
	Event *ActionEvent
	// SnapshotComplete is true once, with nothing else: every action as it was at the beginning has been told.
	SnapshotComplete bool
	// Cursor is where another watch goes on after this. Empty in a snapshot, which cannot be gone on with.
	Cursor string
}

// silence is longer than a healthy stream is ever silent: it has a heartbeat at least every 15 s.
const silence = 45 * time.Second

// Why a stream is over that did not end with an error of its own.
var (
	errSilent = errors.New("the stream has been silent for too long")
	errEnded  = errors.New("the server ended the stream")
)

// Watch tells first the actions as they are, then every change, in order per action, on whatever replica it is made. When its
// stream is lost it opens another that goes on where the first one was, so that nothing is missed, for as long as the context
// lasts; only a stream that is lost within the snapshot begins anew, and tells some of it twice. It ends with an error: that of
// the context, why the server will not tell, or that within the client's patience it could not be reached at all.
func (c *Client) Watch(ctx context.Context, request WatchRequest) iter.Seq2[*Update, error] {
	return func(yield func(*Update, error) bool) {
		w := watching{cursor: request.Cursor, wait: firstPause, until: time.Now().Add(c.patience)}
		for {
			failure := w.stream(ctx, c, request.Filter, yield)
			if failure == nil {
				return
			}
			if !w.goesOn(ctx, failure) {
				yield(nil, (&tries{may: reads}).told(ctx, failure))
				return
			}
		}
	}
}

// watching is where a watch is, over all of its streams.
type watching struct {
	cursor string
	wait   time.Duration
	// heard: the server told something once, and is waited for from then on. Until is when it must have.
	heard bool
	until time.Time
}

// stream tells what one stream tells, and returns why it is over; nil when the caller wants no more.
func (w *watching) stream(ctx context.Context, c *Client, filter *Filter, yield func(*Update, error) bool) *Error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	guard := time.AfterFunc(silence, func() { cancel(errSilent) })
	defer guard.Stop()
	request := &tetherv1.WatchRequest{Filter: filter, Cursor: w.cursor}
	for message, err := range messages(ctx, reads, c.actions.Watch, request) {
		if err != nil {
			return ErrorOf(err)
		}
		// Only the server's silence counts, not the time that whoever listens takes.
		guard.Stop()
		w.heard, w.wait = true, firstPause
		update := w.updateOf(message)
		w.cursor = update.Cursor
		news := update.Action != nil || update.Event != nil || update.SnapshotComplete
		if news && !yield(update, nil) {
			return nil
		}
		guard.Reset(silence)
	}
	return (&tries{may: reads}).failed(errEnded, true)
}

// goesOn waits until another stream can be opened; false when the server would only say the same again.
func (w *watching) goesOn(ctx context.Context, failure *Error) bool {
	wait := max(failure.RetryAfter, w.wait/2+rand.N(w.wait/2))
	w.wait = min(2*w.wait, longestPause)
	hopeless := !w.heard && time.Now().Add(wait).After(w.until)
	return passing(failure) && !hopeless && ctx.Err() == nil && pause(ctx, wait)
}

func (w *watching) updateOf(message *tetherv1.WatchResponse) *Update {
	switch {
	case message.GetSnapshot() != nil:
		// Its cursor is the end of the trail, which says nothing of the rest of the snapshot.
		return &Update{Action: message.GetSnapshot()}
	case message.GetChange() != nil:
		change := message.GetChange()
		return &Update{Action: change.GetAction(), Event: change.GetEvent(), Cursor: message.GetCursor()}
	default:
		return &Update{SnapshotComplete: w.cursor == "", Cursor: message.GetCursor()}
	}
}

package tether

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// repetition says which calls are made again by themselves, and when.
//
//	            | answer lost | busy: nothing done, try later | CONFIRM_IN_FLIGHT | anything else
//	never       | fails       | fails                         | fails             | fails
//	reads       | again       | again                         | fails             | fails
//	sameAction  | again       | again                         | fails             | fails
//	sameAttempt | again       | after a lost one              | after a lost one  | fails
type repetition int

const (
	// never: a second one could be a second decision.
	never repetition = iota
	// reads change nothing.
	reads
	// sameAction: the request id makes the second one return what the first one staged.
	sameAction
	// sameAttempt: the count of expected attempts makes the second one return what the first one came to.
	sameAttempt
)

const (
	firstPause   = 100 * time.Millisecond
	longestPause = 2 * time.Second
)

// invoke makes a unary call, and makes it again where that is harmless, for as long as the client's patience and the context
// last.
func invoke[Request, Response any](
	ctx context.Context, c *Client, may repetition,
	rpc func(context.Context, *Request, ...grpc.CallOption) (*Response, error), request *Request,
) (*Response, error) {
	tries := tries{may: may, patience: c.patience}
	for {
		sent, trailer := new(atomic.Bool), metadata.MD{}
		response, err := rpc(withSent(ctx, sent), request, grpc.Trailer(&trailer))
		if err == nil {
			return response, nil
		}
		failure := tries.failed(err, sent.Load())
		if id := trailer.Get("x-request-id"); len(id) > 0 {
			failure.RequestID = id[0]
		}
		if !tries.again(ctx, failure) {
			return nil, tries.told(ctx, failure)
		}
	}
}

// tries are the sendings of one call.
type tries struct {
	may      repetition
	patience time.Duration
	// lost: one of them went out and was not answered, so that it may have done what the next one is refused.
	lost  bool
	until time.Time
	pause time.Duration
}

// failed says what is known after a try that was not answered well.
func (t *tries) failed(err error, sent bool) *Error {
	failure := ErrorOf(err)
	switch {
	case failure.Answered:
	case t.may == reads:
		failure.Effect = EffectNone
		failure.Message = "No answer came from Tether. The call only reads, so it left nothing behind."
	case !sent:
		failure.Effect = EffectNone
		failure.Message = "The call could not be sent: nothing was recorded and nothing ran."
	}
	t.lost = t.lost || failure.Effect == EffectUnknown
	return failure
}

// told is what the caller is told in the end: a try that left nothing behind says nothing of the one before, which was lost.
func (t *tries) told(ctx context.Context, failure *Error) *Error {
	if t.lost && failure.Effect == EffectNone {
		failure.Effect = EffectUnknown
		failure.Message += " But it was sent before, and that answer was lost: read with Get what came of it."
	}
	if cause := context.Cause(ctx); cause != nil {
		failure.cause = cause
	}
	return failure
}

// again waits until the call can be made again; false when it must not be.
func (t *tries) again(ctx context.Context, failure *Error) bool {
	if t.may == never || ctx.Err() != nil {
		return false
	}
	if t.may == sameAttempt && t.lost && failure.Code == "CONFIRM_IN_FLIGHT" {
		// What is in flight is what was sent before. The server says how long that takes at most; looking again sooner is what
		// finds the answer, and patience is not what ends it.
		t.until = time.Time{}
		return pause(ctx, longestPause/2)
	}
	if !passing(failure) || t.may == sameAttempt && failure.Answered && !t.lost {
		return false
	}
	now := time.Now()
	if t.until.IsZero() {
		t.until, t.pause = now.Add(t.patience), firstPause
	}
	wait := max(failure.RetryAfter, t.pause/2+rand.N(t.pause/2))
	t.pause = min(2*t.pause, longestPause)
	return !now.Add(wait).After(t.until) && pause(ctx, wait)
}

// passing tells a failure that the same call may not meet again from an answer: it was lost on its way, or not taken now.
func passing(failure *Error) bool {
	if failure.Answered {
		busy := failure.Code == "UNAVAILABLE" || failure.Code == "RATE_LIMITED"
		return failure.Effect == EffectUnknown || busy && failure.Retryable
	}
	// What the library itself found too large will be too large again.
	return failure.Retryable && status.Code(failure) != codes.ResourceExhausted
}

func pause(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

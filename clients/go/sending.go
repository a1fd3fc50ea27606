package tether

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc/stats"
)

// sending learns from the library whether a call began to go out: before that, it provably left nothing behind.
type sending struct{}

type sentKey struct{}

// withSent lets the library set the flag when it hands the call's headers to a connection.
func withSent(ctx context.Context, sent *atomic.Bool) context.Context {
	return context.WithValue(ctx, sentKey{}, sent)
}

func (sending) HandleRPC(ctx context.Context, event stats.RPCStats) {
	if _, out := event.(*stats.OutHeader); !out {
		return
	}
	if sent, ok := ctx.Value(sentKey{}).(*atomic.Bool); ok {
		sent.Store(true)
	}
}

func (sending) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (sending) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (sending) HandleConn(context.Context, stats.ConnStats)                       {}

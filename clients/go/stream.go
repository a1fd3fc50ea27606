package tether

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync/atomic"

	"google.golang.org/grpc"
)

// messages opens a stream and yields what it tells, until it ends; an error is the last thing. The caller ends it early by
// cancelling the context.
func messages[Request, Message any](
	ctx context.Context, may repetition,
	open func(context.Context, *Request, ...grpc.CallOption) (grpc.ServerStreamingClient[Message], error),
	request *Request,
) iter.Seq2[*Message, error] {
	return func(yield func(*Message, error) bool) {
		sent := new(atomic.Bool)
		try := tries{may: may}
		stream, err := open(withSent(ctx, sent), request)
		for err == nil {
			var message *Message
			if message, err = stream.Recv(); err == nil && !yield(message, nil) {
				return
			}
		}
		if !errors.Is(err, io.EOF) {
			yield(nil, try.told(ctx, try.failed(err, sent.Load())))
		}
	}
}

package ledger

import (
	"context"
	"sync"
)

// turns lets those who work on the same key do it one after the other. The database would too; but each who waits there keeps a
// connection, and with enough of them there would be none left for the one they wait for.
type turns struct {
	mu    sync.Mutex
	ahead map[string]*turn
}

type turn struct {
	free chan struct{}
	// interested counts who has it and who waits for it.
	interested int
}

// take waits for the key's turn; the caller ends it by what it returns.
func (t *turns) take(ctx context.Context, key string) (done func(), err error) {
	t.mu.Lock()
	if t.ahead == nil {
		t.ahead = make(map[string]*turn)
	}
	mine := t.ahead[key]
	if mine == nil {
		mine = &turn{free: make(chan struct{}, 1)}
		mine.free <- struct{}{}
		t.ahead[key] = mine
	}
	mine.interested++
	t.mu.Unlock()

	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if mine.interested--; mine.interested == 0 {
			delete(t.ahead, key)
		}
	}
	select {
	case <-mine.free:
		return func() {
			mine.free <- struct{}{}
			leave()
		}, nil
	case <-ctx.Done():
		leave()
		return nil, context.Cause(ctx)
	}
}

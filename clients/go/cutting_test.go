package tether_test

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// cutting stands between a client and the server and drops their connection where a test says, at the edge of an HTTP/2 frame.
type cutting struct {
	address string
	// cutRequest and cutAnswer drop the connection in front of the next call's or the next answer's head.
	cutRequest, cutAnswer atomic.Bool
	// refused: whoever connects is dropped.
	refused atomic.Bool
	cuts    atomic.Int32
	// answered hears of each answer's head that came through.
	answered chan struct{}

	mu    sync.Mutex
	conns map[net.Conn]struct{}
}

const (
	frameHead = 9
	headers   = 1
)

func startCutting(t *testing.T, server string) *cutting {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutting{
		address:  listener.Addr().String(),
		answered: make(chan struct{}, 1000),
		conns:    make(map[net.Conn]struct{}),
	}
	t.Cleanup(func() {
		listener.Close()
		c.cut()
	})
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			if c.refused.Load() {
				client.Close()
				continue
			}
			upstream, err := net.Dial("tcp", server)
			if err != nil {
				client.Close()
				continue
			}
			c.mu.Lock()
			c.conns[client], c.conns[upstream] = struct{}{}, struct{}{}
			c.mu.Unlock()
			go c.relay(client, upstream, true)
			go c.relay(upstream, client, false)
		}
	}()
	return c
}

// relay passes frames on until one is to be cut.
func (c *cutting) relay(from, to net.Conn, isClient bool) {
	defer from.Close()
	defer to.Close()
	if isClient {
		// The connection preface is no frame.
		if _, err := io.CopyN(to, from, int64(len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))); err != nil {
			return
		}
	}
	for {
		frame := make([]byte, frameHead, 1<<14)
		if _, err := io.ReadFull(from, frame); err != nil {
			return
		}
		size := binary.BigEndian.Uint32(frame[:4]) >> 8
		frame = append(frame, make([]byte, size)...)
		if _, err := io.ReadFull(from, frame[frameHead:]); err != nil {
			return
		}
		if frame[3] == headers {
			flag := &c.cutAnswer
			if isClient {
				flag = &c.cutRequest
			}
			if flag.CompareAndSwap(true, false) {
				c.cuts.Add(1)
				return
			}
			if !isClient {
				c.answered <- struct{}{}
			}
		}
		if _, err := to.Write(frame); err != nil {
			return
		}
	}
}

// cut drops all connections that there are.
func (c *cutting) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.conns {
		conn.Close()
		delete(c.conns, conn)
	}
}

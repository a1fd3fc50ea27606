package tether_test

import (
	"encoding/binary"
	"io"
	"net"
	"sync/atomic"
	"testing"

	"tether.internal/tether"
)

// frames is one side of an HTTP/2 connection, by hand: the library would not misbehave.
type frames struct{ conn net.Conn }

func (f *frames) write(kind, flags byte, stream uint32, payload ...byte) {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	head = binary.BigEndian.AppendUint32(append(head, flags), stream)
	_, _ = f.conn.Write(append(head, payload...))
}

// speakHTTP2 accepts connections and hands over each stream that a client opens, once its request is whole.
func speakHTTP2(listener net.Listener, onCall func(*frames, uint32)) {
	const data, settings, endStream, ack = 0, 4, 1, 1
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			f := &frames{conn}
			f.write(settings, 0, 0)
			if _, err := io.CopyN(io.Discard, conn, 24); err != nil {
				return
			}
			for {
				head := make([]byte, frameHead)
				if _, err := io.ReadFull(conn, head); err != nil {
					return
				}
				if _, err := io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint32(head[:4])>>8)); err != nil {
					return
				}
				switch {
				case head[3] == settings && head[4]&ack == 0:
					f.write(settings, ack, 0)
				case head[3] == data && head[4]&endStream != 0:
					onCall(f, binary.BigEndian.Uint32(head[5:]))
				}
			}
		}()
	}
}

func TestNothingBelowSendsACallASecondTime(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	// It may have handled the call, and says that it did not: a gateway can.
	const rstStream, refusedStream = 3, 7
	var calls atomic.Int32
	go speakHTTP2(listener, func(f *frames, stream uint32) {
		calls.Add(1)
		f.write(rstStream, 0, stream, 0, 0, 0, refusedStream)
	})
	client, err := tether.Dial(listener.Addr().String(), tether.WithKey("k"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = client.Reject(within(t), "9c1e7b6a-3f42-4a51-9d0e-6b2c8f4a1d33", "No.")
	if failure := failureOf(t, err); failure.Effect != tether.EffectUnknown {
		t.Errorf("got %v", failure)
	}
	if calls.Load() != 1 {
		t.Errorf("the call was sent %d times, want 1", calls.Load())
	}
}

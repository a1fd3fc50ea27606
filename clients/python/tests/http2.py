"""A peer that speaks just enough HTTP/2 to send every stream away, as a server does that has not begun on it."""

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, SETTINGS, PING, GOAWAY = 0x1, 0x4, 0x6, 0x7
ACK = 0x1
NO_ERROR = 0x0


@contextlib.contextmanager
def sending_streams_away() -> Iterator[tuple[str, Callable[[], int]]]:
    """Gives its address, and how many streams were opened so far."""
    streams: list[int] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(peer: socket.socket) -> None:
        with peer, peer.makefile("rb") as file, contextlib.suppress(OSError):
            file.read(len(PREFACE))
            peer.sendall(_frame(SETTINGS))
            while len(head := file.read(9)) == 9:
                length, kind, flags, stream = int.from_bytes(head[:3], "big"), head[3], head[4], head[5:]
                payload = file.read(length)
                if kind == SETTINGS and not flags & ACK:
                    peer.sendall(_frame(SETTINGS, ACK))
                elif kind == PING and not flags & ACK:
                    peer.sendall(_frame(PING, ACK, payload=payload))
                elif kind == HEADERS:
                    streams.append(int.from_bytes(stream, "big"))
                    # No stream was begun on: the last that was is none.
                    peer.sendall(_frame(GOAWAY, payload=struct.pack(">II", 0, NO_ERROR)))
                    return

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                peer, _ = listener.accept()
                threading.Thread(target=serve, args=(peer,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}", lambda: len(streams)
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _frame(kind: int, flags: int = 0, stream: bytes = bytes(4), payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream + payload

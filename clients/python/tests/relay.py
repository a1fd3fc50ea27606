"""A TCP relay that a test can cut, or have swallow what the far side answers."""

import contextlib
import socket
import threading
from collections.abc import Iterator


class Relay:
    """Listens on a port of its own and passes everything on to another one."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.connections = 0
        """How many were made so far."""
        self._open: set[socket.socket] = set()
        self._swallows = False
        self._swallowed = 0
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def swallow(self) -> None:
        """From now on what the far side answers on the connections that there are goes nowhere."""
        with self._lock:
            self._swallowed = 0
            self._swallows = True

    def cut(self) -> None:
        """Resets every connection; new ones are passed on as usual."""
        with self._lock:
            self._swallows = False
            doomed = list(self._open)
            self._open.clear()
        for each in doomed:
            _end(each)

    def wait_for(self, connections: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self.connections >= connections, 30), "nobody connects"

    def wait_until_swallowed(self, count: int = 1) -> None:
        """At least so many bytes: protocols say a little now and then without having been asked."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._swallowed >= count, 30), "the far side has not answered"

    def close(self) -> None:
        _end(self._listener)
        self.cut()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                try:
                    far = socket.create_connection(("127.0.0.1", self._to))
                except OSError:
                    _end(near)
                    continue
                with self._lock:
                    self.connections += 1
                    self._open |= {near, far}
                    self._changed.notify_all()
                threading.Thread(target=self._pass, args=(near, far, False), daemon=True).start()
                threading.Thread(target=self._pass, args=(far, near, True), daemon=True).start()

    def _swallow(self, data: bytes) -> bool:
        with self._changed:
            if self._swallows:
                self._swallowed += len(data)
                self._changed.notify_all()
            return self._swallows

    def _pass(self, source: socket.socket, target: socket.socket, is_answer: bool) -> None:
        for data in _read(source):
            if is_answer and self._swallow(data):
                continue
            with contextlib.suppress(OSError):
                target.sendall(data)
        for each in (source, target):
            with self._lock:
                self._open.discard(each)
            _end(each)


def _read(source: socket.socket) -> Iterator[bytes]:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            yield data


def _end(each: socket.socket) -> None:
    # Who waits in accept or recv is woken by a shutdown alone.
    with contextlib.suppress(OSError):
        each.shutdown(socket.SHUT_RDWR)
    each.close()

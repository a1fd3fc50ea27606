"""Lets threads that work on the same key do it one after the other.

The database would too; but each that waits there has a connection, and with enough of them there would be none left for the
one they wait for.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turns:
    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: dict[str, tuple[threading.Lock, int]] = {}

    @contextmanager
    def of(self, key: str) -> Iterator[None]:
        with self._guard:
            turn, count = self._waiting.get(key, (threading.Lock(), 0))
            self._waiting[key] = (turn, count + 1)
        try:
            with turn:
                yield
        finally:
            with self._guard:
                turn, count = self._waiting[key]
                if count == 1:
                    del self._waiting[key]
                else:
                    self._waiting[key] = (turn, count - 1)

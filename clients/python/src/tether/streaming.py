"""Where a stream goes on when it is cut."""

import math
from typing import Any, Generic, TypeVar

from google.protobuf.message import Message

from tether import wire
from tether.errors import TetherError, no_answer
from tether.repeating import Repeat, Tries
from tether.rpc import Stream

R = TypeVar("R")


class Place(Generic[R]):
    """The place in one stream, over all the calls that it takes."""

    def __init__(self, stream: Stream[R], patience: float) -> None:
        self._stream = stream
        self.request: Message = type(stream.request)()
        """What the next call asks for."""
        self.request.CopyFrom(stream.request)
        self._tries = Tries(Repeat.READ if stream.go_on else Repeat.NEVER, patience, stream.find_out)

    def heard(self, message: Any) -> R:
        if self._stream.go_on is not None:
            self._stream.go_on(self.request, message)
            # It was there, so it will be there again: from now on this waits for as long as that takes.
            self._tries = Tries(Repeat.READ, math.inf)
        return wire.read(self._stream.answer, message)

    def ended(self) -> TetherError | None:
        """What it means that the call ended well: that all was said, or, of one without an end, that it was cut."""
        if self._stream.go_on is None:
            return None
        return no_answer("UNAVAILABLE")

    def failed(self, error: TetherError, now: float) -> tuple[TetherError, float | None]:
        """What is known now, and in how many seconds there is another call; None: never."""
        return self._tries.failed(error, now)

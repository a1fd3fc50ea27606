"""Which calls may be sent again when their answer was lost, and when: decided here alone, without any I/O."""

import dataclasses
import enum
import random
from dataclasses import dataclass

from tether.errors import NO_ANSWER, TetherError
from tether.records import Alternative


class Repeat(enum.Enum):
    NEVER = enum.auto()
    """A second one could be a second decision."""
    READ = enum.auto()
    """It changes nothing."""
    SAME_ACTION = enum.auto()
    """Its request id makes a second one return what the first one staged."""
    SAME_ATTEMPT = enum.auto()
    """Its count of expected attempts makes a second one return what the first one came to, and run nothing."""


FIRST_PAUSE = 0.1
LONGEST_PAUSE = 2.0
"""Seconds; doubled from the first to the longest, and up to a half taken off at random."""

# What a call ends with when its connection breaks, or something on the way. Any other status would be said again.
_LOST = frozenset({"UNAVAILABLE", "UNKNOWN", "INTERNAL", "CANCELLED", "DEADLINE_EXCEEDED", "ABORTED"})
# Not taken, and would be later.
_BUSY = frozenset({"UNAVAILABLE", "RATE_LIMITED"})


@dataclass
class Tries:
    """The sendings of one call."""

    repeat: Repeat
    patience: float
    """Seconds from the first loss on in which it is sent again."""
    find_out: tuple[Alternative, ...] = ()
    """How the caller learns what came of it, if nobody says so."""
    until: float | None = None
    """When the caller stops waiting, on the clock of `now`."""
    _lost: bool = False
    _failed_at: float | None = None
    _next_pause: float = FIRST_PAUSE

    def left(self, now: float) -> float | None:
        """Seconds that the next sending may take; None: as long as it does."""
        return None if self.until is None else self.until - now

    def failed(self, error: TetherError, now: float) -> tuple[TetherError, float | None]:
        """What is known after a sending that failed, and in how many seconds there is another; None: never."""
        lost_before = self._lost
        self._lost = lost_before or _is_lost(error)
        return self._told(error, lost_before), self._pause(error, now)

    def _told(self, error: TetherError, lost_before: bool) -> TetherError:
        detail = error.detail
        if detail.code == NO_ANSWER and self.repeat is Repeat.READ:
            message = "No answer came. The call only reads, so it can be repeated."
            detail = dataclasses.replace(detail, effect="NONE", retryable=True, message=message)
        elif detail.code == NO_ANSWER:
            detail = dataclasses.replace(detail, alternatives=self.find_out)
        elif lost_before and detail.effect == "NONE" and self.repeat is not Repeat.READ:
            earlier = "The same call was sent before and its answer was lost: read with get what came of that."
            moves = (*self.find_out, *detail.alternatives)
            message = f"{detail.message} {earlier}"
            detail = dataclasses.replace(detail, effect="UNKNOWN", message=message, alternatives=moves)
        return TetherError(detail, error.status, error.request_id)

    def _pause(self, error: TetherError, now: float) -> float | None:
        if error.code == "CONFIRM_IN_FLIGHT" and self.repeat is Repeat.SAME_ATTEMPT and self._lost:
            # What is in flight is what was sent before, or it will tell as a record that the attempt was another's. The
            # server ends that, by the lease at the latest.
            return self._if_in_time(LONGEST_PAUSE / 2, now)
        if self.repeat is Repeat.NEVER or not (_is_lost(error) or self._is_busy(error)):
            return None
        self._failed_at = now if self._failed_at is None else self._failed_at
        asked = 0.0 if error.retry_after is None else error.retry_after.total_seconds()
        pause = max(asked, self._next_pause * random.uniform(0.5, 1))
        self._next_pause = min(2 * self._next_pause, LONGEST_PAUSE)
        return self._if_in_time(pause, now) if now + pause <= self._failed_at + self.patience else None

    def _is_busy(self, error: TetherError) -> bool:
        # A confirm that was not taken has its answer, and is a person's again.
        mine = self.repeat is not Repeat.SAME_ATTEMPT or self._lost
        return mine and error.retryable and error.code in _BUSY

    def _if_in_time(self, pause: float, now: float) -> float | None:
        return pause if self.until is None or now + pause < self.until else None


def _is_lost(error: TetherError) -> bool:
    """Whether the call may have been carried out and nobody says so."""
    return error.status in _LOST if error.code == NO_ANSWER else error.effect == "UNKNOWN"

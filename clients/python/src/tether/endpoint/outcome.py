"""What came of a call, before a transport has words for it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tether.records import ActionableError


@dataclass(frozen=True, slots=True)
class Result:
    json: str
    """Sent as it is."""
    replayed: bool = False
    """An earlier call had made the change."""


@dataclass(frozen=True, slots=True)
class Refused:
    error: ActionableError
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Late:
    """Nothing was wrong with the call but the time, and nothing was done."""

    code: Literal["past_deadline", "attempt_withdrawn"]
    message: str


@dataclass(frozen=True, slots=True)
class Failed:
    """What was done before it failed is not known; what failed is nobody's business but the vendor's."""

    error: Exception


Outcome: TypeAlias = Result | Refused | Late
"""Of a call that came to an end."""


@dataclass(frozen=True, slots=True)
class Executed:
    json: str
    """The result that was sent the first time, or would have been."""


@dataclass(frozen=True, slots=True)
class NotExecuted:
    """A promise: neither this attempt nor an earlier one will ever be applied."""

    refusal: ActionableError | None = None


@dataclass(frozen=True, slots=True)
class Undecided:
    """Somebody works on it, or the ledger cannot tell."""

    disposition: Literal["in_progress", "unknown"]


Disposition: TypeAlias = Executed | NotExecuted | Undecided
"""Of a probe."""

"""What the entry of a key means for a call or a question. Asked while the key is held."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from tether import json_text
from tether.endpoint.outcome import Disposition, Executed, Late, NotExecuted, Outcome, Refused, Result, Undecided
from tether.records import ActionableError


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of this attempt, and of those before it?"""

    key: str
    tenant: str
    tool: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Write(Asked):
    """An attempt of a write, as it came."""

    arguments_digest: str
    deadline: datetime


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a key.

    `applied`: the write was made, for ever. `refused`: `attempt` was refused by the vendor's own rules, and rolled back.
    `withdrawn`: somebody was told that `attempt`, and all before it, are not executed. Of the last two, a call of that attempt
    or an earlier one is never applied any more; one of a later attempt is what a person confirmed since, and judged anew.
    """

    tenant: str
    tool: str
    arguments_digest: str | None
    """None while nobody but a probe has come with this key."""
    attempt: int
    state: Literal["applied", "refused", "withdrawn"]
    result: str | None
    refusal: ActionableError | None
    left_behind: bool
    """A refused attempt left something behind outside of its transaction: nobody is told "not executed" any more."""


def judge_write(entry: Entry | None, write: Write, in_time: bool) -> Outcome | None:
    """The answer, and nothing may be done; None when nothing speaks against the write."""
    if entry is not None:
        digest = write.arguments_digest
        if not _is_about(entry, write) or (entry.arguments_digest or digest) != digest:
            return _key_reused(write)
        if entry.result is not None:
            return Result(entry.result, replayed=True)  # whatever time it is
        if entry.refusal is not None and entry.attempt == write.attempt:
            return Refused(entry.refusal, replayed=True)
        if write.attempt <= entry.attempt:
            message = f"Attempt {write.attempt} is withdrawn: it was told not to be executed, and nothing was done."
            return Late("attempt_withdrawn", message)
    return None if in_time else past_deadline(write.deadline)


def judge_probe(entry: Entry | None, asked: Asked, forgotten: bool) -> Disposition | None:
    """The answer; None when nothing was executed, which has to be made sure of before it is said.

    `forgotten`: an entry of this key would have been deleted by now, so that there being none says nothing.
    """
    if entry is None:
        return Undecided("unknown") if forgotten else None
    if not _is_about(entry, asked):
        return Undecided("unknown")
    if entry.result is not None:
        return Executed(entry.result)
    if entry.left_behind:
        return Undecided("unknown")
    if entry.attempt < asked.attempt:
        return None
    return NotExecuted(entry.refusal if entry.attempt == asked.attempt else None)


def past_deadline(deadline: datetime) -> Late:
    return Late("past_deadline", f"The call is past its deadline ({deadline.isoformat()}); nothing was done.")


def _is_about(entry: Entry, asked: Asked) -> bool:
    """The same tool for the same tenant: another's result is never given away."""
    return entry.tenant == asked.tenant and entry.tool == asked.tool


def _key_reused(write: Write) -> Refused:
    message = (
        f"The key {write.key} was used before, for another call than this one of {write.tool}; nothing was done. "
        "A key belongs to one tool and one set of arguments."
    )
    received = json_text.write(write.key)
    return Refused(ActionableError("idempotency_key_reused", message, "request_id", received, effect="NONE"))

"""What Tether asks of an endpoint, in the words of no transport."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Literal

IDEMPOTENCY_KEY = "x-tether-idempotency-key"


@dataclass(frozen=True, slots=True)
class Tenant:
    """On whose behalf. `scope` and `user_id` are empty when there is none."""

    id: str
    scope: str = ""
    user_id: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A probe: what became of this attempt of a write, and of those before it?"""

    request_id: str
    """The idempotency key, 32 hex digits: of a write the same over all of its attempts."""
    tool: str
    tenant: Tenant
    attempt: int
    """From 1."""
    action_id: str


@dataclass(frozen=True, slots=True)
class Call(Question):
    """One call of a tool; `action_id` is empty for a read."""

    args: dict[str, Any]
    """Exactly what the person was shown; Tether has checked it against the schema of the catalog."""
    mode: Literal["read", "execute"]
    deadline: datetime
    """A write must not be applied from then on; the one who reads has stopped waiting."""


def call_of(of: Question, args: dict[str, Any], mode: Literal["read", "execute"], deadline: datetime) -> Call:
    return Call(of.request_id, of.tool, of.tenant, of.attempt, of.action_id, args, mode, deadline)


class MalformedCallError(Exception):
    """What cannot be a call of Tether's: nothing is done about it."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


def check(call: Question, header: str | None) -> None:
    """What every call must have. `header` is X-Tether-Idempotency-Key, if it came through. Raises MalformedCallError."""
    if call.request_id == "":
        raise MalformedCallError("request_id must be there: it is the idempotency key.", "request_id")
    if header and header != call.request_id:
        raise MalformedCallError("The header X-Tether-Idempotency-Key must be equal to request_id.", "request_id")
    if call.tool == "":
        raise MalformedCallError("tool must be the name of a tool.", "tool")
    if call.attempt < 1:
        raise MalformedCallError("attempt must be 1 or more.", "attempt")


def read_json(body: bytes, header: str | None) -> Call | Question:
    """The call in the body of a POST. Raises MalformedCallError with what is wrong."""
    envelope = object_in(body)
    tenant = envelope.get("tenant")
    of = tenant if isinstance(tenant, dict) else {}
    attempt = envelope.get("attempt")
    question = Question(
        request_id=_text(envelope, "request_id"),
        tool=_text(envelope, "tool"),
        tenant=Tenant(_text(of, "id"), _text(of, "scope"), _text(of, "user_id")),
        attempt=attempt if type(attempt) is int else 0,
        action_id=_text(envelope, "action_id"),
    )
    check(question, header)
    mode = envelope.get("mode")
    if mode == "probe":
        return question
    if mode != "read" and mode != "execute":
        raise MalformedCallError("mode must be read, execute or probe.", "mode")
    args = envelope.get("args")
    if not isinstance(args, dict):
        raise MalformedCallError("args must be an object.", "args")
    return call_of(question, args, mode, _time(envelope.get("deadline")))


def object_in(text: bytes | str, field: str = "") -> dict[str, Any]:
    """A JSON object that says each thing once. Raises MalformedCallError."""
    try:
        decoded = text.decode() if isinstance(text, bytes) else text
        value = json.loads(decoded, object_pairs_hook=_each_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as fault:
        raise MalformedCallError(f"{field or 'The body'} must be JSON that says each thing once.", field) from fault
    if not isinstance(value, dict):
        raise MalformedCallError(f"{field or 'The body'} must be a JSON object.", field)
    return value


def _each_once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) != len(members):
        raise ValueError("a member occurs twice")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _text(of: Mapping[str, Any], name: str) -> str:
    value = of.get(name, "")
    if not isinstance(value, str):
        raise MalformedCallError(f"{name} must be a text.", name)
    return value


def _time(value: object) -> datetime:
    # Python 3.10 reads neither the Z nor any number of decimals.
    found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)", str(value))
    if found is None:
        raise MalformedCallError("deadline must be an ISO 8601 time with a zone.", "deadline")
    seconds, decimals, zone = found.groups()
    micros = f"{(decimals or '.0')[1:7]:0<6}"
    return datetime.fromisoformat(f"{seconds}.{micros}{'+00:00' if zone == 'Z' else zone}").astimezone(timezone.utc)

"""One call, ready to be sent, and what the functions that build them share.

Every RPC is one function, for both clients: its parameters, its request, its answer, and whether it may be repeated. `Client`
sends what it builds at once, `AsyncClient` when it is awaited. `timeout` is in seconds, for all sendings of the call
together; when it passes, what has begun on the server goes on there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from google.protobuf.message import Message

from tether import json_text
from tether.records import Action, Alternative
from tether.repeating import Repeat
from tether.v1 import (
    action_service_pb2_grpc,
    credential_service_pb2_grpc,
    stop_service_pb2_grpc,
    tool_service_pb2_grpc,
)

R = TypeVar("R")

RECORD_TIMEOUT = 30.0
"""Seconds for what looks at the record or changes it."""
ENDPOINT_TIMEOUT = 120.0
"""Seconds for what may call an endpoint, which itself has 20 unless the catalog says otherwise; reads are tried thrice."""
PLAN_TIMEOUT = 600.0
"""Seconds for a whole plan."""

Actions = action_service_pb2_grpc.ActionServiceStub
Tools = tool_service_pb2_grpc.ToolServiceStub
Credentials = credential_service_pb2_grpc.CredentialServiceStub
Stops = stop_service_pb2_grpc.StopServiceStub
SERVICES: tuple[Callable[[Any], Any], ...] = (Actions, Tools, Credentials, Stops)


@dataclass(frozen=True)
class Rpc(Generic[R]):
    stub: Callable[[Any], Any]
    """Of which service."""
    name: str
    request: Message
    answer: type[R]
    repeat: Repeat
    timeout: float | None
    find_out: tuple[Alternative, ...] = ()
    """How a caller who lost the answer learns what came of the call."""

    def ends(self, now: float) -> float | None:
        """When the caller stops waiting, on the clock of `now`; None: never."""
        return None if self.timeout is None else now + self.timeout


@dataclass(frozen=True)
class Stream(Generic[R]):
    """A call that is answered bit by bit."""

    stub: Callable[[Any], Any]
    name: str
    request: Message
    answer: type[R]
    timeout: float | None
    find_out: tuple[Alternative, ...] = ()
    go_on: Callable[[Any, Any], None] | None = None
    """Moves the request on behind a message that was heard; None for a call that cannot be taken up again."""


def id_of(action: Action | str) -> str:
    return action.id if isinstance(action, Action) else action


def attempts_of(action: Action | str, expected: int | None) -> int:
    """How many attempts had been used when a person decided. Raises TypeError when nothing says so."""
    if expected is not None:
        return expected
    if isinstance(action, Action):
        return action.attempts_used
    raise TypeError("with an id alone, say expected_attempts: how many attempts had been used when the person decided")


def by_get(**key: str) -> Alternative:
    """The read that closes the gap after a lost answer."""
    return Alternative("get", arguments_json=json_text.write(key), description="Read what came of the call.")

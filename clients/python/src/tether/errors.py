"""The one error that a call raises."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import grpc
from google.protobuf.message import DecodeError
from google.rpc.status_pb2 import Status

from tether import wire
from tether.records import ActionableError, Alternative, Effect
from tether.v1 import error_pb2

NO_ANSWER = "NO_ANSWER"
"""The code of an error that no server of Tether told: the call failed on its way."""


class TetherError(Exception):
    """A call that was refused, or that nobody answered: says what was wrong, what it left behind, and what to do next.

    `effect` is that of this call: NONE means that it recorded and ran nothing, UNKNOWN that nobody can know from here: read
    with `get` before anything is done again. A write that was confirmed and then failed is no error of the call; that
    outcome is in `ConfirmResponse`.
    """

    def __init__(self, detail: ActionableError, status: str, request_id: str = "") -> None:
        super().__init__(f"{detail.code}: {detail.message} (effect {detail.effect})")
        self.detail: ActionableError = detail
        """All of it, JSON as the text that was sent."""
        self.status: str = status
        """The gRPC status, like `"NOT_FOUND"`."""
        self.request_id: str = request_id
        """What to tell the operator, who finds the call in the log by it. Empty when no server answered."""
        self.code: str = detail.code
        """Stable: see docs/errors.md; or NO_ANSWER."""
        self.message: str = detail.message
        self.field: str = detail.field
        self.effect: Effect = detail.effect
        self.retryable: bool = detail.retryable
        """Whether an identical repeat could ever succeed."""
        self.retry_after: timedelta | None = detail.retry_after
        self.alternatives: tuple[Alternative, ...] = detail.alternatives

    @property
    def received(self) -> Any:
        """The offending value; None when there is none to show."""
        return self.detail.received

    @property
    def limit(self) -> Any:
        """The boundary that was crossed; None when there is none."""
        return self.detail.limit

    @property
    def accepted(self) -> tuple[Any, ...]:
        """The values that would be accepted; empty when they cannot be listed."""
        return self.detail.accepted


def error_of(failed: grpc.RpcError) -> TetherError:
    """What a failed RPC says. Without an actionable detail its effect is UNKNOWN."""
    # What grpcio raises is a Call too, and says how it ended.
    status: str = failed.code().name
    trailers: Iterable[Any] = failed.trailing_metadata() or ()
    request_id = next((str(value) for key, value in trailers if key == "x-request-id"), "")
    detail = _detail_in(trailers)
    if detail is not None:
        return TetherError(detail, status, request_id)
    return no_answer(status, request_id)


def no_answer(status: str, request_id: str = "") -> TetherError:
    message = "No answer came, and nobody can know from here whether the call took effect: read with get first."
    return TetherError(ActionableError(NO_ANSWER, message), status, request_id)


def _detail_in(trailers: Iterable[Any]) -> ActionableError | None:
    for key, value in trailers:
        if key != "grpc-status-details-bin" or not isinstance(value, bytes):
            continue
        try:
            details = Status.FromString(value).details
            for each in details:
                told = error_pb2.ActionableError()
                if each.Unpack(told):
                    return wire.read(ActionableError, told)
        except DecodeError:
            return None  # not written by Tether: as good as none
    return None

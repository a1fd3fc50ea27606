"""What an operator stops and resumes in their tenant. Role of all calls: operator, with a credential for all scopes."""

from tether import answers, wire
from tether.records import StopKind
from tether.repeating import Repeat
from tether.rpc import RECORD_TIMEOUT, Rpc, Stops
from tether.v1 import stop_pb2, stop_service_pb2


def stop(
    kind: StopKind, name: str = "", *, reason: str = "", timeout: float | None = RECORD_TIMEOUT
) -> Rpc[answers.StopResponse]:
    """Stops a tool, an endpoint or the whole tenant, on every replica: nothing new is staged, claimed or read."""
    request = stop_service_pb2.StopRequest(kind=_number(kind), name=name, reason=reason)
    return Rpc(Stops, "Stop", request, answers.StopResponse, Repeat.NEVER, timeout)


def resume(
    kind: StopKind, name: str = "", *, reason: str = "", timeout: float | None = RECORD_TIMEOUT
) -> Rpc[answers.ResumeResponse]:
    """Takes a stop back."""
    request = stop_service_pb2.ResumeRequest(kind=_number(kind), name=name, reason=reason)
    return Rpc(Stops, "Resume", request, answers.ResumeResponse, Repeat.NEVER, timeout)


def list_stops(*, timeout: float | None = RECORD_TIMEOUT) -> Rpc[answers.ListStopsResponse]:
    """Everything that is stopped now, the newest first."""
    request = stop_service_pb2.ListStopsRequest()
    return Rpc(Stops, "ListStops", request, answers.ListStopsResponse, Repeat.READ, timeout)


def _number(kind: StopKind) -> stop_pb2.StopKind:
    number: stop_pb2.StopKind = wire.number_of(stop_pb2.StopKind.DESCRIPTOR, kind)
    return number

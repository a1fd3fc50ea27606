"""Serves an endpoint over gRPC, as `tether.v1.ToolEndpoint`."""

from collections.abc import Callable
from datetime import timezone
from typing import Any, Literal, NoReturn, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message

from tether import wire
from tether.endpoint.call import IDEMPOTENCY_KEY, MalformedCallError, Question, Tenant, call_of, check, object_in
from tether.endpoint.endpoint import Endpoint, log
from tether.endpoint.outcome import Executed, Failed, Late, NotExecuted, Refused, Result, Undecided
from tether.endpoint.signature import UnsignedError
from tether.records import ActionableError
from tether.v1 import effect_pb2, error_pb2, probe_disposition_pb2, tool_endpoint_pb2

M = TypeVar("M", bound=Message)
Context = grpc.ServicerContext
Answer = Callable[[Endpoint[Any], bytes, str | None, Context], Message]

_modes: dict[int, Literal["read", "execute"]] = {
    tool_endpoint_pb2.INVOKE_MODE_READ: "read",
    tool_endpoint_pb2.INVOKE_MODE_EXECUTE: "execute",
}


def add_to(server: grpc.Server, endpoint: Endpoint[Any]) -> None:
    """Has a server of grpcio answer Tether's calls, with a thread of its pool for each."""
    # By hand, since the generated base class hides the bytes that the signature is over.
    methods = {"Invoke": _handler(_invoke, endpoint), "Probe": _handler(_probe, endpoint)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("tether.v1.ToolEndpoint", methods),))


def _handler(answer: Answer, endpoint: Endpoint[Any]) -> Any:
    def handle(body: bytes, context: Context) -> Message:
        headers = {key: value for key, value in context.invocation_metadata() if isinstance(value, str)}
        try:
            endpoint.check_signature(body, headers)
            return answer(endpoint, body, headers.get(IDEMPOTENCY_KEY), context)
        except UnsignedError as unsigned:
            log.warning("a call was turned away: %s", unsigned)
            context.abort(grpc.StatusCode.UNAUTHENTICATED, str(unsigned))
        except MalformedCallError as malformed:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(malformed))

    return grpc.unary_unary_rpc_method_handler(handle, None, lambda message: message.SerializeToString())


def _invoke(endpoint: Endpoint[Any], body: bytes, header: str | None, context: Context) -> Message:
    request = _parsed(tool_endpoint_pb2.InvokeRequest, body)
    question = _question_in(request, header)
    mode = _modes.get(request.mode)
    if mode is None:
        raise MalformedCallError("mode must be READ or EXECUTE.", "mode")
    args = object_in(request.arguments_json, "arguments_json")
    if not request.HasField("deadline"):
        raise MalformedCallError("deadline must be there.", "deadline")
    match endpoint.invoke(call_of(question, args, mode, request.deadline.ToDatetime(timezone.utc))):
        case Result(json=text):
            return tool_endpoint_pb2.InvokeResponse(result_json=text)
        case Refused(error=error):
            return tool_endpoint_pb2.InvokeResponse(refusal=_message_of(error))
        case Late(message=message):
            # Taken as: nothing was done, and it may be confirmed again.
            context.abort(grpc.StatusCode.ABORTED, message)
        case Failed():
            _fail(context)


def _probe(endpoint: Endpoint[Any], body: bytes, header: str | None, context: Context) -> Message:
    words = probe_disposition_pb2.ProbeDisposition.DESCRIPTOR
    request = _parsed(tool_endpoint_pb2.ProbeRequest, body)
    match endpoint.probe(_question_in(request, header)):
        case Executed(json=text):
            disposition = wire.number_of(words, "EXECUTED")
            return tool_endpoint_pb2.ProbeResponse(disposition=disposition, result_json=text)
        case NotExecuted(refusal=error):
            disposition = wire.number_of(words, "NOT_EXECUTED")
            refusal = None if error is None else _message_of(error)
            return tool_endpoint_pb2.ProbeResponse(disposition=disposition, refusal=refusal)
        case Undecided(disposition=word):
            return tool_endpoint_pb2.ProbeResponse(disposition=wire.number_of(words, word.upper()))
        case Failed():
            _fail(context)


def _parsed(message: type[M], body: bytes) -> M:
    try:
        return message.FromString(body)
    except DecodeError as fault:
        raise MalformedCallError(f"The call is no {message.DESCRIPTOR.full_name}.") from fault


def _question_in(
    request: tool_endpoint_pb2.InvokeRequest | tool_endpoint_pb2.ProbeRequest, header: str | None
) -> Question:
    tenant = Tenant(request.tenant.id, request.tenant.scope, request.tenant.user_id)
    question = Question(request.request_id, request.tool, tenant, request.attempt, request.action_id)
    check(question, header)
    return question


def _message_of(error: ActionableError) -> error_pb2.ActionableError:
    return error_pb2.ActionableError(
        code=error.code,
        message=error.message,
        field=error.field,
        received_json=error.received_json,
        limit_json=error.limit_json,
        accepted_json=error.accepted_json,
        effect=wire.number_of(effect_pb2.Effect.DESCRIPTOR, error.effect),
        retryable=error.retryable,
        retry_after=wire.duration(error.retry_after),
        alternatives=[
            error_pb2.Alternative(
                action=move.action,
                tool=move.tool,
                arguments_json=move.arguments_json,
                description=move.description,
                extra_json=move.extra_json,
            )
            for move in error.alternatives
        ],
    )


def _fail(context: Context) -> NoReturn:
    context.abort(grpc.StatusCode.INTERNAL, "The call failed, and may have been carried out before it did.")

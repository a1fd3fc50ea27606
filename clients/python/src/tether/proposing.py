"""What a model's program calls: tools to list, reads to run, writes to propose."""

import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from tether import answers, json_text, wire
from tether.repeating import Repeat
from tether.rpc import ENDPOINT_TIMEOUT, RECORD_TIMEOUT, Actions, Rpc, Tools, by_get
from tether.v1 import action_service_pb2, tool_service_pb2


def list_tools(*, timeout: float | None = RECORD_TIMEOUT) -> Rpc[answers.ListToolsResponse]:
    """The tools that can be called, with their JSON Schemas. Roles: agent, approver."""
    request = tool_service_pb2.ListToolsRequest()
    return Rpc(Tools, "ListTools", request, answers.ListToolsResponse, Repeat.READ, timeout)


def call(
    tool: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    user_id: str = "",
    scope: str = "",
    plan_id: str = "",
    request_id: str | None = None,
    ttl: timedelta | None = None,
    timeout: float | None = ENDPOINT_TIMEOUT,
) -> Rpc[answers.CallResponse]:
    """One tool call of a model: a read runs, a write is staged. Parameters as for `stage`. Role: agent."""
    proposal = _proposal(tool, arguments, user_id, scope, plan_id, request_id)
    request = tool_service_pb2.CallRequest(**proposal, ttl=wire.duration(ttl))
    find_out = (by_get(request_id=request.request_id),)
    return Rpc(Tools, "Call", request, answers.CallResponse, Repeat.SAME_ACTION, timeout, find_out)


def stage(
    tool: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    user_id: str = "",
    scope: str = "",
    plan_id: str = "",
    request_id: str | None = None,
    ttl: timedelta | None = None,
    timeout: float | None = ENDPOINT_TIMEOUT,
) -> Rpc[answers.StageResponse]:
    """Proposes a write, which then waits for a person; runs nothing. Role: agent.

    `user_id` is on whose behalf, `scope` the part of the tenant, `plan_id` groups what is proposed in one turn, and `ttl`
    shortens how long it may wait. The `request_id`, a fresh one if you name none, makes a repeat return the same action.
    """
    proposal = _proposal(tool, arguments, user_id, scope, plan_id, request_id)
    request = action_service_pb2.StageRequest(**proposal, ttl=wire.duration(ttl))
    find_out = (by_get(request_id=request.request_id),)
    return Rpc(Actions, "Stage", request, answers.StageResponse, Repeat.SAME_ACTION, timeout, find_out)


def _proposal(
    tool: str, arguments: Mapping[str, Any] | None, user_id: str, scope: str, plan_id: str, request_id: str | None
) -> dict[str, Any]:
    return {
        "tool": tool,
        "arguments_json": json_text.write(dict(arguments or {})),
        "user_id": user_id,
        "scope": scope,
        "plan_id": plan_id,
        "request_id": request_id or uuid.uuid4().hex,
    }

"""What only reads the record."""

from collections.abc import Iterable

from tether import answers, wire
from tether.records import Action, ActionState
from tether.repeating import Repeat
from tether.rpc import RECORD_TIMEOUT, Actions, Rpc, Stream, id_of
from tether.v1 import action_pb2, action_service_pb2


def get(
    action: Action | str | None = None,
    *,
    idempotency_key: str | None = None,
    request_id: str | None = None,
    timeout: float | None = RECORD_TIMEOUT,
) -> Rpc[answers.GetResponse]:
    """Everything that is known of an action: by its id, the key of your confirm, or the request id of your stage."""
    request = action_service_pb2.GetRequest(**_key(action, idempotency_key, request_id))
    return Rpc(Actions, "Get", request, answers.GetResponse, Repeat.READ, timeout)


def replay(
    action: Action | str | None = None,
    *,
    idempotency_key: str | None = None,
    request_id: str | None = None,
    timeout: float | None = RECORD_TIMEOUT,
) -> Rpc[answers.ReplayResponse]:
    """The stored result of an action that succeeded, or its state; never runs anything. Named as for `get`."""
    request = action_service_pb2.ReplayRequest(**_key(action, idempotency_key, request_id))
    return Rpc(Actions, "Replay", request, answers.ReplayResponse, Repeat.READ, timeout)


def list_actions(
    *,
    states: Iterable[ActionState] = (),
    plan_id: str = "",
    scope: str | None = None,
    user_id: str | None = None,
    tool: str = "",
    needs_attention: bool = False,
    page_size: int = 0,
    cursor: str = "",
    timeout: float | None = RECORD_TIMEOUT,
) -> Rpc[answers.ListResponse]:
    """A page of actions, newest first; the next one with `cursor=page.next_cursor`, until that is empty."""
    actions = action_filter(states, plan_id, scope, user_id, tool, needs_attention)
    request = action_service_pb2.ListRequest(filter=actions, page_size=page_size, cursor=cursor)
    return Rpc(Actions, "List", request, answers.ListResponse, Repeat.READ, timeout)


def list_events(
    action: Action | str = "", *, page_size: int = 0, cursor: str = "", timeout: float | None = RECORD_TIMEOUT
) -> Rpc[answers.ListEventsResponse]:
    """A page of the audit trail, oldest first: of one action, or of the whole tenant (operator). Roles: approver, operator."""
    request = action_service_pb2.ListEventsRequest(action_id=id_of(action), page_size=page_size, cursor=cursor)
    return Rpc(Actions, "ListEvents", request, answers.ListEventsResponse, Repeat.READ, timeout)


def watch(
    *,
    states: Iterable[ActionState] = (),
    plan_id: str = "",
    scope: str | None = None,
    user_id: str | None = None,
    tool: str = "",
    needs_attention: bool = False,
    cursor: str = "",
) -> Stream[answers.WatchResponse]:
    """First the actions as they are, then every change of one, in order per action, without an end.

    A stream that is cut is taken up where it ended. With the `cursor` of a response that was heard before, it begins there,
    without a snapshot. A heartbeat comes when the snapshot is complete, and then at least every 15 seconds.
    """
    actions = action_filter(states, plan_id, scope, user_id, tool, needs_attention)
    request = action_service_pb2.WatchRequest(filter=actions, cursor=cursor)
    return Stream(Actions, "Watch", request, answers.WatchResponse, None, go_on=_go_on)


def _go_on(request: action_service_pb2.WatchRequest, heard: action_service_pb2.WatchResponse) -> None:
    # The cursor of a snapshot lies behind all of them: who went on there would never hear those that were still to come.
    if heard.WhichOneof("update") != "snapshot":
        request.cursor = heard.cursor


def _key(action: Action | str | None, idempotency_key: str | None, request_id: str | None) -> dict[str, str]:
    named = {
        "action_id": None if action is None else id_of(action),
        "idempotency_key": idempotency_key,
        "request_id": request_id,
    }
    given = {name: value for name, value in named.items() if value is not None}
    if len(given) != 1:
        raise TypeError("name one of: the action, idempotency_key, request_id")
    return given


def action_filter(
    states: Iterable[ActionState],
    plan_id: str,
    scope: str | None,
    user_id: str | None,
    tool: str,
    needs_attention: bool,
) -> action_service_pb2.ActionFilter:
    enum = action_pb2.ActionState.DESCRIPTOR
    return action_service_pb2.ActionFilter(
        states=[wire.number_of(enum, word) for word in states],
        plan_id=plan_id,
        scope=scope,
        user_id=user_id,
        tool=tool,
        needs_attention=needs_attention,
    )

import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tether.v1 import action_pb2 as _action_pb2
from tether.v1 import action_event_pb2 as _action_event_pb2
from tether.v1 import error_pb2 as _error_pb2
from tether.v1 import probe_disposition_pb2 as _probe_disposition_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ConfirmStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONFIRM_STATUS_UNSPECIFIED: _ClassVar[ConfirmStatus]
    CONFIRM_STATUS_EXECUTED: _ClassVar[ConfirmStatus]
    CONFIRM_STATUS_REPLAYED: _ClassVar[ConfirmStatus]
    CONFIRM_STATUS_REFUSED: _ClassVar[ConfirmStatus]
    CONFIRM_STATUS_FAILED_RETRYABLE: _ClassVar[ConfirmStatus]
    CONFIRM_STATUS_FAILED: _ClassVar[ConfirmStatus]
    CONFIRM_STATUS_INDETERMINATE: _ClassVar[ConfirmStatus]
    CONFIRM_STATUS_PRECONDITION_FAILED: _ClassVar[ConfirmStatus]
CONFIRM_STATUS_UNSPECIFIED: ConfirmStatus
CONFIRM_STATUS_EXECUTED: ConfirmStatus
CONFIRM_STATUS_REPLAYED: ConfirmStatus
CONFIRM_STATUS_REFUSED: ConfirmStatus
CONFIRM_STATUS_FAILED_RETRYABLE: ConfirmStatus
CONFIRM_STATUS_FAILED: ConfirmStatus
CONFIRM_STATUS_INDETERMINATE: ConfirmStatus
CONFIRM_STATUS_PRECONDITION_FAILED: ConfirmStatus

class StageRequest(_message.Message):
    __slots__ = ("tool", "arguments_json", "user_id", "scope", "plan_id", "request_id", "ttl")
    TOOL_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_JSON_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TTL_FIELD_NUMBER: _ClassVar[int]
    tool: str
    arguments_json: str
    user_id: str
    scope: str
    plan_id: str
    request_id: str
    ttl: _duration_pb2.Duration
    def __init__(self, tool: _Optional[str] = ..., arguments_json: _Optional[str] = ..., user_id: _Optional[str] = ..., scope: _Optional[str] = ..., plan_id: _Optional[str] = ..., request_id: _Optional[str] = ..., ttl: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class StageResponse(_message.Message):
    __slots__ = ("action", "model_json", "idempotent_replay")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    MODEL_JSON_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENT_REPLAY_FIELD_NUMBER: _ClassVar[int]
    action: _action_pb2.Action
    model_json: str
    idempotent_replay: bool
    def __init__(self, action: _Optional[_Union[_action_pb2.Action, _Mapping]] = ..., model_json: _Optional[str] = ..., idempotent_replay: bool = ...) -> None: ...

class ConfirmRequest(_message.Message):
    __slots__ = ("action_id", "idempotency_key", "acknowledge_high_risk", "acknowledge_indeterminate", "preview_digest", "expected_attempts")
    ACTION_ID_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    ACKNOWLEDGE_HIGH_RISK_FIELD_NUMBER: _ClassVar[int]
    ACKNOWLEDGE_INDETERMINATE_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_DIGEST_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    action_id: str
    idempotency_key: str
    acknowledge_high_risk: bool
    acknowledge_indeterminate: bool
    preview_digest: str
    expected_attempts: int
    def __init__(self, action_id: _Optional[str] = ..., idempotency_key: _Optional[str] = ..., acknowledge_high_risk: bool = ..., acknowledge_indeterminate: bool = ..., preview_digest: _Optional[str] = ..., expected_attempts: _Optional[int] = ...) -> None: ...

class ConfirmResponse(_message.Message):
    __slots__ = ("status", "action", "result_json", "error", "model_json", "idempotent_replay")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    RESULT_JSON_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    MODEL_JSON_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENT_REPLAY_FIELD_NUMBER: _ClassVar[int]
    status: ConfirmStatus
    action: _action_pb2.Action
    result_json: str
    error: _error_pb2.ActionableError
    model_json: str
    idempotent_replay: bool
    def __init__(self, status: _Optional[_Union[ConfirmStatus, str]] = ..., action: _Optional[_Union[_action_pb2.Action, _Mapping]] = ..., result_json: _Optional[str] = ..., error: _Optional[_Union[_error_pb2.ActionableError, _Mapping]] = ..., model_json: _Optional[str] = ..., idempotent_replay: bool = ...) -> None: ...

class GetRequest(_message.Message):
    __slots__ = ("action_id", "idempotency_key", "request_id")
    ACTION_ID_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    action_id: str
    idempotency_key: str
    request_id: str
    def __init__(self, action_id: _Optional[str] = ..., idempotency_key: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class GetResponse(_message.Message):
    __slots__ = ("action", "model_json")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    MODEL_JSON_FIELD_NUMBER: _ClassVar[int]
    action: _action_pb2.Action
    model_json: str
    def __init__(self, action: _Optional[_Union[_action_pb2.Action, _Mapping]] = ..., model_json: _Optional[str] = ...) -> None: ...

class ReplayRequest(_message.Message):
    __slots__ = ("action_id", "idempotency_key", "request_id")
    ACTION_ID_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    action_id: str
    idempotency_key: str
    request_id: str
    def __init__(self, action_id: _Optional[str] = ..., idempotency_key: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class ReplayResponse(_message.Message):
    __slots__ = ("action", "result_json", "model_json", "idempotent_replay")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    RESULT_JSON_FIELD_NUMBER: _ClassVar[int]
    MODEL_JSON_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENT_REPLAY_FIELD_NUMBER: _ClassVar[int]
    action: _action_pb2.Action
    result_json: str
    model_json: str
    idempotent_replay: bool
    def __init__(self, action: _Optional[_Union[_action_pb2.Action, _Mapping]] = ..., result_json: _Optional[str] = ..., model_json: _Optional[str] = ..., idempotent_replay: bool = ...) -> None: ...

class ActionFilter(_message.Message):
    __slots__ = ("states", "plan_id", "scope", "user_id", "tool", "needs_attention")
    STATES_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    NEEDS_ATTENTION_FIELD_NUMBER: _ClassVar[int]
    states: _containers.RepeatedScalarFieldContainer[_action_pb2.ActionState]
    plan_id: str
    scope: str
    user_id: str
    tool: str
    needs_attention: bool
    def __init__(self, states: _Optional[_Iterable[_Union[_action_pb2.ActionState, str]]] = ..., plan_id: _Optional[str] = ..., scope: _Optional[str] = ..., user_id: _Optional[str] = ..., tool: _Optional[str] = ..., needs_attention: bool = ...) -> None: ...

class ListRequest(_message.Message):
    __slots__ = ("filter", "page_size", "cursor")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    filter: ActionFilter
    page_size: int
    cursor: str
    def __init__(self, filter: _Optional[_Union[ActionFilter, _Mapping]] = ..., page_size: _Optional[int] = ..., cursor: _Optional[str] = ...) -> None: ...

class ListResponse(_message.Message):
    __slots__ = ("actions", "next_cursor")
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    actions: _containers.RepeatedCompositeFieldContainer[_action_pb2.Action]
    next_cursor: str
    def __init__(self, actions: _Optional[_Iterable[_Union[_action_pb2.Action, _Mapping]]] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class WatchRequest(_message.Message):
    __slots__ = ("filter", "cursor")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    filter: ActionFilter
    cursor: str
    def __init__(self, filter: _Optional[_Union[ActionFilter, _Mapping]] = ..., cursor: _Optional[str] = ...) -> None: ...

class WatchResponse(_message.Message):
    __slots__ = ("snapshot", "change", "heartbeat", "cursor")
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    snapshot: _action_pb2.Action
    change: ActionChange
    heartbeat: WatchHeartbeat
    cursor: str
    def __init__(self, snapshot: _Optional[_Union[_action_pb2.Action, _Mapping]] = ..., change: _Optional[_Union[ActionChange, _Mapping]] = ..., heartbeat: _Optional[_Union[WatchHeartbeat, _Mapping]] = ..., cursor: _Optional[str] = ...) -> None: ...

class ActionChange(_message.Message):
    __slots__ = ("event", "action")
    EVENT_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    event: _action_event_pb2.ActionEvent
    action: _action_pb2.Action
    def __init__(self, event: _Optional[_Union[_action_event_pb2.ActionEvent, _Mapping]] = ..., action: _Optional[_Union[_action_pb2.Action, _Mapping]] = ...) -> None: ...

class WatchHeartbeat(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ConfirmPlanRequest(_message.Message):
    __slots__ = ("entries",)
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[ConfirmRequest]
    def __init__(self, entries: _Optional[_Iterable[_Union[ConfirmRequest, _Mapping]]] = ...) -> None: ...

class ConfirmPlanResponse(_message.Message):
    __slots__ = ("index", "action_id", "confirmed", "error", "not_run")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    ACTION_ID_FIELD_NUMBER: _ClassVar[int]
    CONFIRMED_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    NOT_RUN_FIELD_NUMBER: _ClassVar[int]
    index: int
    action_id: str
    confirmed: ConfirmResponse
    error: _error_pb2.ActionableError
    not_run: NotRun
    def __init__(self, index: _Optional[int] = ..., action_id: _Optional[str] = ..., confirmed: _Optional[_Union[ConfirmResponse, _Mapping]] = ..., error: _Optional[_Union[_error_pb2.ActionableError, _Mapping]] = ..., not_run: _Optional[_Union[NotRun, _Mapping]] = ...) -> None: ...

class NotRun(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class RejectRequest(_message.Message):
    __slots__ = ("action_id", "reason")
    ACTION_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    action_id: str
    reason: str
    def __init__(self, action_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class RejectResponse(_message.Message):
    __slots__ = ("action", "model_json", "idempotent_replay")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    MODEL_JSON_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENT_REPLAY_FIELD_NUMBER: _ClassVar[int]
    action: _action_pb2.Action
    model_json: str
    idempotent_replay: bool
    def __init__(self, action: _Optional[_Union[_action_pb2.Action, _Mapping]] = ..., model_json: _Optional[str] = ..., idempotent_replay: bool = ...) -> None: ...

class AmendRequest(_message.Message):
    __slots__ = ("action_id", "arguments_json", "request_id", "tool")
    ACTION_ID_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_JSON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    action_id: str
    arguments_json: str
    request_id: str
    tool: str
    def __init__(self, action_id: _Optional[str] = ..., arguments_json: _Optional[str] = ..., request_id: _Optional[str] = ..., tool: _Optional[str] = ...) -> None: ...

class AmendResponse(_message.Message):
    __slots__ = ("action", "superseded", "model_json", "idempotent_replay")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    MODEL_JSON_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENT_REPLAY_FIELD_NUMBER: _ClassVar[int]
    action: _action_pb2.Action
    superseded: _action_pb2.Action
    model_json: str
    idempotent_replay: bool
    def __init__(self, action: _Optional[_Union[_action_pb2.Action, _Mapping]] = ..., superseded: _Optional[_Union[_action_pb2.Action, _Mapping]] = ..., model_json: _Optional[str] = ..., idempotent_replay: bool = ...) -> None: ...

class ResolveRequest(_message.Message):
    __slots__ = ("action_id", "landed", "result_json", "note", "expected_attempts", "observed_at")
    ACTION_ID_FIELD_NUMBER: _ClassVar[int]
    LANDED_FIELD_NUMBER: _ClassVar[int]
    RESULT_JSON_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    OBSERVED_AT_FIELD_NUMBER: _ClassVar[int]
    action_id: str
    landed: bool
    result_json: str
    note: str
    expected_attempts: int
    observed_at: _timestamp_pb2.Timestamp
    def __init__(self, action_id: _Optional[str] = ..., landed: bool = ..., result_json: _Optional[str] = ..., note: _Optional[str] = ..., expected_attempts: _Optional[int] = ..., observed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ResolveResponse(_message.Message):
    __slots__ = ("action", "model_json", "idempotent_replay")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    MODEL_JSON_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENT_REPLAY_FIELD_NUMBER: _ClassVar[int]
    action: _action_pb2.Action
    model_json: str
    idempotent_replay: bool
    def __init__(self, action: _Optional[_Union[_action_pb2.Action, _Mapping]] = ..., model_json: _Optional[str] = ..., idempotent_replay: bool = ...) -> None: ...

class ProbeNowRequest(_message.Message):
    __slots__ = ("action_id",)
    ACTION_ID_FIELD_NUMBER: _ClassVar[int]
    action_id: str
    def __init__(self, action_id: _Optional[str] = ...) -> None: ...

class ProbeNowResponse(_message.Message):
    __slots__ = ("disposition", "settled", "action", "model_json", "next_probe_at")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    SETTLED_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    MODEL_JSON_FIELD_NUMBER: _ClassVar[int]
    NEXT_PROBE_AT_FIELD_NUMBER: _ClassVar[int]
    disposition: _probe_disposition_pb2.ProbeDisposition
    settled: bool
    action: _action_pb2.Action
    model_json: str
    next_probe_at: _timestamp_pb2.Timestamp
    def __init__(self, disposition: _Optional[_Union[_probe_disposition_pb2.ProbeDisposition, str]] = ..., settled: bool = ..., action: _Optional[_Union[_action_pb2.Action, _Mapping]] = ..., model_json: _Optional[str] = ..., next_probe_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class RecheckRequest(_message.Message):
    __slots__ = ("action_id",)
    ACTION_ID_FIELD_NUMBER: _ClassVar[int]
    action_id: str
    def __init__(self, action_id: _Optional[str] = ...) -> None: ...

class RecheckResponse(_message.Message):
    __slots__ = ("holds", "before_json", "now_json", "differences", "action")
    HOLDS_FIELD_NUMBER: _ClassVar[int]
    BEFORE_JSON_FIELD_NUMBER: _ClassVar[int]
    NOW_JSON_FIELD_NUMBER: _ClassVar[int]
    DIFFERENCES_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    holds: bool
    before_json: str
    now_json: str
    differences: _containers.RepeatedCompositeFieldContainer[Difference]
    action: _action_pb2.Action
    def __init__(self, holds: bool = ..., before_json: _Optional[str] = ..., now_json: _Optional[str] = ..., differences: _Optional[_Iterable[_Union[Difference, _Mapping]]] = ..., action: _Optional[_Union[_action_pb2.Action, _Mapping]] = ...) -> None: ...

class Difference(_message.Message):
    __slots__ = ("pointer", "before_json", "now_json")
    POINTER_FIELD_NUMBER: _ClassVar[int]
    BEFORE_JSON_FIELD_NUMBER: _ClassVar[int]
    NOW_JSON_FIELD_NUMBER: _ClassVar[int]
    pointer: str
    before_json: str
    now_json: str
    def __init__(self, pointer: _Optional[str] = ..., before_json: _Optional[str] = ..., now_json: _Optional[str] = ...) -> None: ...

class ListEventsRequest(_message.Message):
    __slots__ = ("action_id", "page_size", "cursor")
    ACTION_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    action_id: str
    page_size: int
    cursor: str
    def __init__(self, action_id: _Optional[str] = ..., page_size: _Optional[int] = ..., cursor: _Optional[str] = ...) -> None: ...

class ListEventsResponse(_message.Message):
    __slots__ = ("events", "next_cursor", "has_more")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    HAS_MORE_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[_action_event_pb2.ActionEvent]
    next_cursor: str
    has_more: bool
    def __init__(self, events: _Optional[_Iterable[_Union[_action_event_pb2.ActionEvent, _Mapping]]] = ..., next_cursor: _Optional[str] = ..., has_more: bool = ...) -> None: ...

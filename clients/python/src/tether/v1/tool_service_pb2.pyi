import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from tether.v1 import action_pb2 as _action_pb2
from tether.v1 import tool_pb2 as _tool_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListToolsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListToolsResponse(_message.Message):
    __slots__ = ("tools",)
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    tools: _containers.RepeatedCompositeFieldContainer[_tool_pb2.Tool]
    def __init__(self, tools: _Optional[_Iterable[_Union[_tool_pb2.Tool, _Mapping]]] = ...) -> None: ...

class CallRequest(_message.Message):
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

class CallResponse(_message.Message):
    __slots__ = ("model_json", "result_json", "action", "pending_actions", "idempotent_replay")
    MODEL_JSON_FIELD_NUMBER: _ClassVar[int]
    RESULT_JSON_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    PENDING_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENT_REPLAY_FIELD_NUMBER: _ClassVar[int]
    model_json: str
    result_json: str
    action: _action_pb2.Action
    pending_actions: _containers.RepeatedCompositeFieldContainer[_action_pb2.Action]
    idempotent_replay: bool
    def __init__(self, model_json: _Optional[str] = ..., result_json: _Optional[str] = ..., action: _Optional[_Union[_action_pb2.Action, _Mapping]] = ..., pending_actions: _Optional[_Iterable[_Union[_action_pb2.Action, _Mapping]]] = ..., idempotent_replay: bool = ...) -> None: ...

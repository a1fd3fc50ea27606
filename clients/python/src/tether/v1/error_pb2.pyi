import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from tether.v1 import effect_pb2 as _effect_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ActionableError(_message.Message):
    __slots__ = ("code", "message", "field", "received_json", "limit_json", "accepted_json", "effect", "retryable", "retry_after", "alternatives")
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_JSON_FIELD_NUMBER: _ClassVar[int]
    LIMIT_JSON_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_JSON_FIELD_NUMBER: _ClassVar[int]
    EFFECT_FIELD_NUMBER: _ClassVar[int]
    RETRYABLE_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_FIELD_NUMBER: _ClassVar[int]
    ALTERNATIVES_FIELD_NUMBER: _ClassVar[int]
    code: str
    message: str
    field: str
    received_json: str
    limit_json: str
    accepted_json: _containers.RepeatedScalarFieldContainer[str]
    effect: _effect_pb2.Effect
    retryable: bool
    retry_after: _duration_pb2.Duration
    alternatives: _containers.RepeatedCompositeFieldContainer[Alternative]
    def __init__(self, code: _Optional[str] = ..., message: _Optional[str] = ..., field: _Optional[str] = ..., received_json: _Optional[str] = ..., limit_json: _Optional[str] = ..., accepted_json: _Optional[_Iterable[str]] = ..., effect: _Optional[_Union[_effect_pb2.Effect, str]] = ..., retryable: bool = ..., retry_after: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., alternatives: _Optional[_Iterable[_Union[Alternative, _Mapping]]] = ...) -> None: ...

class Alternative(_message.Message):
    __slots__ = ("action", "tool", "arguments_json", "description", "extra_json")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_JSON_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    EXTRA_JSON_FIELD_NUMBER: _ClassVar[int]
    action: str
    tool: str
    arguments_json: str
    description: str
    extra_json: str
    def __init__(self, action: _Optional[str] = ..., tool: _Optional[str] = ..., arguments_json: _Optional[str] = ..., description: _Optional[str] = ..., extra_json: _Optional[str] = ...) -> None: ...

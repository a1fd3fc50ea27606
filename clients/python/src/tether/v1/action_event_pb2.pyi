import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tether.v1 import action_pb2 as _action_pb2
from tether.v1 import effect_pb2 as _effect_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ActionEventType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ACTION_EVENT_TYPE_UNSPECIFIED: _ClassVar[ActionEventType]
    ACTION_EVENT_TYPE_STAGED: _ClassVar[ActionEventType]
    ACTION_EVENT_TYPE_CLAIMED: _ClassVar[ActionEventType]
    ACTION_EVENT_TYPE_SETTLED: _ClassVar[ActionEventType]
    ACTION_EVENT_TYPE_LATE_ANSWER: _ClassVar[ActionEventType]
    ACTION_EVENT_TYPE_LEASE_OVER: _ClassVar[ActionEventType]
    ACTION_EVENT_TYPE_EXPIRED: _ClassVar[ActionEventType]
    ACTION_EVENT_TYPE_REJECTED: _ClassVar[ActionEventType]
    ACTION_EVENT_TYPE_SUPERSEDED: _ClassVar[ActionEventType]
    ACTION_EVENT_TYPE_PRECONDITION_CHANGED: _ClassVar[ActionEventType]
    ACTION_EVENT_TYPE_RESOLVED: _ClassVar[ActionEventType]
    ACTION_EVENT_TYPE_PROBED: _ClassVar[ActionEventType]
    ACTION_EVENT_TYPE_VERIFIED: _ClassVar[ActionEventType]
ACTION_EVENT_TYPE_UNSPECIFIED: ActionEventType
ACTION_EVENT_TYPE_STAGED: ActionEventType
ACTION_EVENT_TYPE_CLAIMED: ActionEventType
ACTION_EVENT_TYPE_SETTLED: ActionEventType
ACTION_EVENT_TYPE_LATE_ANSWER: ActionEventType
ACTION_EVENT_TYPE_LEASE_OVER: ActionEventType
ACTION_EVENT_TYPE_EXPIRED: ActionEventType
ACTION_EVENT_TYPE_REJECTED: ActionEventType
ACTION_EVENT_TYPE_SUPERSEDED: ActionEventType
ACTION_EVENT_TYPE_PRECONDITION_CHANGED: ActionEventType
ACTION_EVENT_TYPE_RESOLVED: ActionEventType
ACTION_EVENT_TYPE_PROBED: ActionEventType
ACTION_EVENT_TYPE_VERIFIED: ActionEventType

class ActionEvent(_message.Message):
    __slots__ = ("action_id", "version", "type", "from_state", "to_state", "effect", "attempt", "actor", "preview_digest", "note", "occurred_at")
    ACTION_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    FROM_STATE_FIELD_NUMBER: _ClassVar[int]
    TO_STATE_FIELD_NUMBER: _ClassVar[int]
    EFFECT_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_DIGEST_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_AT_FIELD_NUMBER: _ClassVar[int]
    action_id: str
    version: int
    type: ActionEventType
    from_state: _action_pb2.ActionState
    to_state: _action_pb2.ActionState
    effect: _effect_pb2.Effect
    attempt: int
    actor: _action_pb2.Actor
    preview_digest: str
    note: str
    occurred_at: _timestamp_pb2.Timestamp
    def __init__(self, action_id: _Optional[str] = ..., version: _Optional[int] = ..., type: _Optional[_Union[ActionEventType, str]] = ..., from_state: _Optional[_Union[_action_pb2.ActionState, str]] = ..., to_state: _Optional[_Union[_action_pb2.ActionState, str]] = ..., effect: _Optional[_Union[_effect_pb2.Effect, str]] = ..., attempt: _Optional[int] = ..., actor: _Optional[_Union[_action_pb2.Actor, _Mapping]] = ..., preview_digest: _Optional[str] = ..., note: _Optional[str] = ..., occurred_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tether.v1 import action_pb2 as _action_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AdminEventType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ADMIN_EVENT_TYPE_UNSPECIFIED: _ClassVar[AdminEventType]
    ADMIN_EVENT_TYPE_CREDENTIAL_CREATED: _ClassVar[AdminEventType]
    ADMIN_EVENT_TYPE_CREDENTIAL_ROTATED: _ClassVar[AdminEventType]
    ADMIN_EVENT_TYPE_CREDENTIAL_REVOKED: _ClassVar[AdminEventType]
    ADMIN_EVENT_TYPE_STOPPED: _ClassVar[AdminEventType]
    ADMIN_EVENT_TYPE_RESUMED: _ClassVar[AdminEventType]
ADMIN_EVENT_TYPE_UNSPECIFIED: AdminEventType
ADMIN_EVENT_TYPE_CREDENTIAL_CREATED: AdminEventType
ADMIN_EVENT_TYPE_CREDENTIAL_ROTATED: AdminEventType
ADMIN_EVENT_TYPE_CREDENTIAL_REVOKED: AdminEventType
ADMIN_EVENT_TYPE_STOPPED: AdminEventType
ADMIN_EVENT_TYPE_RESUMED: AdminEventType

class AdminEvent(_message.Message):
    __slots__ = ("type", "subject", "actor", "detail_json", "occurred_at")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    DETAIL_JSON_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_AT_FIELD_NUMBER: _ClassVar[int]
    type: AdminEventType
    subject: str
    actor: _action_pb2.Actor
    detail_json: str
    occurred_at: _timestamp_pb2.Timestamp
    def __init__(self, type: _Optional[_Union[AdminEventType, str]] = ..., subject: _Optional[str] = ..., actor: _Optional[_Union[_action_pb2.Actor, _Mapping]] = ..., detail_json: _Optional[str] = ..., occurred_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

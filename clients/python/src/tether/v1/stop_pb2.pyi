import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tether.v1 import action_pb2 as _action_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class StopKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STOP_KIND_UNSPECIFIED: _ClassVar[StopKind]
    STOP_KIND_TOOL: _ClassVar[StopKind]
    STOP_KIND_ENDPOINT: _ClassVar[StopKind]
    STOP_KIND_TENANT: _ClassVar[StopKind]
STOP_KIND_UNSPECIFIED: StopKind
STOP_KIND_TOOL: StopKind
STOP_KIND_ENDPOINT: StopKind
STOP_KIND_TENANT: StopKind

class Stop(_message.Message):
    __slots__ = ("tenant_id", "kind", "name", "reason", "stopped_by", "stopped_at")
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    STOPPED_BY_FIELD_NUMBER: _ClassVar[int]
    STOPPED_AT_FIELD_NUMBER: _ClassVar[int]
    tenant_id: str
    kind: StopKind
    name: str
    reason: str
    stopped_by: _action_pb2.Actor
    stopped_at: _timestamp_pb2.Timestamp
    def __init__(self, tenant_id: _Optional[str] = ..., kind: _Optional[_Union[StopKind, str]] = ..., name: _Optional[str] = ..., reason: _Optional[str] = ..., stopped_by: _Optional[_Union[_action_pb2.Actor, _Mapping]] = ..., stopped_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

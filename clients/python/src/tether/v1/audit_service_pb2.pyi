from tether.v1 import admin_event_pb2 as _admin_event_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListAdminEventsRequest(_message.Message):
    __slots__ = ("types", "subject", "page_size", "cursor")
    TYPES_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    types: _containers.RepeatedScalarFieldContainer[_admin_event_pb2.AdminEventType]
    subject: str
    page_size: int
    cursor: str
    def __init__(self, types: _Optional[_Iterable[_Union[_admin_event_pb2.AdminEventType, str]]] = ..., subject: _Optional[str] = ..., page_size: _Optional[int] = ..., cursor: _Optional[str] = ...) -> None: ...

class ListAdminEventsResponse(_message.Message):
    __slots__ = ("events", "next_cursor", "has_more")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    HAS_MORE_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[_admin_event_pb2.AdminEvent]
    next_cursor: str
    has_more: bool
    def __init__(self, events: _Optional[_Iterable[_Union[_admin_event_pb2.AdminEvent, _Mapping]]] = ..., next_cursor: _Optional[str] = ..., has_more: bool = ...) -> None: ...

from tether.v1 import stop_pb2 as _stop_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class StopRequest(_message.Message):
    __slots__ = ("kind", "name", "reason")
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    kind: _stop_pb2.StopKind
    name: str
    reason: str
    def __init__(self, kind: _Optional[_Union[_stop_pb2.StopKind, str]] = ..., name: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class StopResponse(_message.Message):
    __slots__ = ("stop",)
    STOP_FIELD_NUMBER: _ClassVar[int]
    stop: _stop_pb2.Stop
    def __init__(self, stop: _Optional[_Union[_stop_pb2.Stop, _Mapping]] = ...) -> None: ...

class ResumeRequest(_message.Message):
    __slots__ = ("kind", "name", "reason")
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    kind: _stop_pb2.StopKind
    name: str
    reason: str
    def __init__(self, kind: _Optional[_Union[_stop_pb2.StopKind, str]] = ..., name: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class ResumeResponse(_message.Message):
    __slots__ = ("stop",)
    STOP_FIELD_NUMBER: _ClassVar[int]
    stop: _stop_pb2.Stop
    def __init__(self, stop: _Optional[_Union[_stop_pb2.Stop, _Mapping]] = ...) -> None: ...

class ListStopsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListStopsResponse(_message.Message):
    __slots__ = ("stops",)
    STOPS_FIELD_NUMBER: _ClassVar[int]
    stops: _containers.RepeatedCompositeFieldContainer[_stop_pb2.Stop]
    def __init__(self, stops: _Optional[_Iterable[_Union[_stop_pb2.Stop, _Mapping]]] = ...) -> None: ...

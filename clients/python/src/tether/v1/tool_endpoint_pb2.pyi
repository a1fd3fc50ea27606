import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tether.v1 import error_pb2 as _error_pb2
from tether.v1 import probe_disposition_pb2 as _probe_disposition_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class InvokeMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    INVOKE_MODE_UNSPECIFIED: _ClassVar[InvokeMode]
    INVOKE_MODE_READ: _ClassVar[InvokeMode]
    INVOKE_MODE_EXECUTE: _ClassVar[InvokeMode]
INVOKE_MODE_UNSPECIFIED: InvokeMode
INVOKE_MODE_READ: InvokeMode
INVOKE_MODE_EXECUTE: InvokeMode

class InvokeRequest(_message.Message):
    __slots__ = ("request_id", "tool", "arguments_json", "tenant", "is_write", "mode", "action_id", "attempt", "deadline")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_JSON_FIELD_NUMBER: _ClassVar[int]
    TENANT_FIELD_NUMBER: _ClassVar[int]
    IS_WRITE_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    ACTION_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    tool: str
    arguments_json: str
    tenant: TenantContext
    is_write: bool
    mode: InvokeMode
    action_id: str
    attempt: int
    deadline: _timestamp_pb2.Timestamp
    def __init__(self, request_id: _Optional[str] = ..., tool: _Optional[str] = ..., arguments_json: _Optional[str] = ..., tenant: _Optional[_Union[TenantContext, _Mapping]] = ..., is_write: bool = ..., mode: _Optional[_Union[InvokeMode, str]] = ..., action_id: _Optional[str] = ..., attempt: _Optional[int] = ..., deadline: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class TenantContext(_message.Message):
    __slots__ = ("id", "scope", "user_id")
    ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    scope: str
    user_id: str
    def __init__(self, id: _Optional[str] = ..., scope: _Optional[str] = ..., user_id: _Optional[str] = ...) -> None: ...

class InvokeResponse(_message.Message):
    __slots__ = ("result_json", "refusal")
    RESULT_JSON_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    result_json: str
    refusal: _error_pb2.ActionableError
    def __init__(self, result_json: _Optional[str] = ..., refusal: _Optional[_Union[_error_pb2.ActionableError, _Mapping]] = ...) -> None: ...

class ProbeRequest(_message.Message):
    __slots__ = ("request_id", "tool", "tenant", "attempt", "action_id")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    TENANT_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    ACTION_ID_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    tool: str
    tenant: TenantContext
    attempt: int
    action_id: str
    def __init__(self, request_id: _Optional[str] = ..., tool: _Optional[str] = ..., tenant: _Optional[_Union[TenantContext, _Mapping]] = ..., attempt: _Optional[int] = ..., action_id: _Optional[str] = ...) -> None: ...

class ProbeResponse(_message.Message):
    __slots__ = ("disposition", "result_json", "refusal")
    DISPOSITION_FIELD_NUMBER: _ClassVar[int]
    RESULT_JSON_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    disposition: _probe_disposition_pb2.ProbeDisposition
    result_json: str
    refusal: _error_pb2.ActionableError
    def __init__(self, disposition: _Optional[_Union[_probe_disposition_pb2.ProbeDisposition, str]] = ..., result_json: _Optional[str] = ..., refusal: _Optional[_Union[_error_pb2.ActionableError, _Mapping]] = ...) -> None: ...

import datetime

from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tether.v1 import credential_pb2 as _credential_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CredentialServiceCreateRequest(_message.Message):
    __slots__ = ("role", "user_id", "all_scopes", "scopes", "name", "expires_at")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    ALL_SCOPES_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    role: _credential_pb2.Role
    user_id: str
    all_scopes: bool
    scopes: _containers.RepeatedScalarFieldContainer[str]
    name: str
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, role: _Optional[_Union[_credential_pb2.Role, str]] = ..., user_id: _Optional[str] = ..., all_scopes: bool = ..., scopes: _Optional[_Iterable[str]] = ..., name: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CredentialServiceCreateResponse(_message.Message):
    __slots__ = ("credential", "key")
    CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    credential: _credential_pb2.Credential
    key: str
    def __init__(self, credential: _Optional[_Union[_credential_pb2.Credential, _Mapping]] = ..., key: _Optional[str] = ...) -> None: ...

class CredentialServiceListRequest(_message.Message):
    __slots__ = ("page_size", "cursor")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    cursor: str
    def __init__(self, page_size: _Optional[int] = ..., cursor: _Optional[str] = ...) -> None: ...

class CredentialServiceListResponse(_message.Message):
    __slots__ = ("credentials", "next_cursor")
    CREDENTIALS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    credentials: _containers.RepeatedCompositeFieldContainer[_credential_pb2.Credential]
    next_cursor: str
    def __init__(self, credentials: _Optional[_Iterable[_Union[_credential_pb2.Credential, _Mapping]]] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class CredentialServiceRotateRequest(_message.Message):
    __slots__ = ("credential_id", "overlap")
    CREDENTIAL_ID_FIELD_NUMBER: _ClassVar[int]
    OVERLAP_FIELD_NUMBER: _ClassVar[int]
    credential_id: str
    overlap: _duration_pb2.Duration
    def __init__(self, credential_id: _Optional[str] = ..., overlap: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class CredentialServiceRotateResponse(_message.Message):
    __slots__ = ("credential", "key")
    CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    credential: _credential_pb2.Credential
    key: str
    def __init__(self, credential: _Optional[_Union[_credential_pb2.Credential, _Mapping]] = ..., key: _Optional[str] = ...) -> None: ...

class CredentialServiceRevokeRequest(_message.Message):
    __slots__ = ("credential_id",)
    CREDENTIAL_ID_FIELD_NUMBER: _ClassVar[int]
    credential_id: str
    def __init__(self, credential_id: _Optional[str] = ...) -> None: ...

class CredentialServiceRevokeResponse(_message.Message):
    __slots__ = ("credential",)
    CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    credential: _credential_pb2.Credential
    def __init__(self, credential: _Optional[_Union[_credential_pb2.Credential, _Mapping]] = ...) -> None: ...

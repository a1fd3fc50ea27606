from tether.v1 import action_pb2 as _action_pb2
from tether.v1 import error_pb2 as _error_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AuthorizeRequest(_message.Message):
    __slots__ = ("action", "approver")
    ACTION_FIELD_NUMBER: _ClassVar[int]
    APPROVER_FIELD_NUMBER: _ClassVar[int]
    action: _action_pb2.Action
    approver: _action_pb2.Actor
    def __init__(self, action: _Optional[_Union[_action_pb2.Action, _Mapping]] = ..., approver: _Optional[_Union[_action_pb2.Actor, _Mapping]] = ...) -> None: ...

class AuthorizeResponse(_message.Message):
    __slots__ = ("allowed", "reason")
    ALLOWED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    allowed: bool
    reason: _error_pb2.ActionableError
    def __init__(self, allowed: bool = ..., reason: _Optional[_Union[_error_pb2.ActionableError, _Mapping]] = ...) -> None: ...

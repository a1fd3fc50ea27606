from tether.v1 import action_pb2 as _action_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Tool(_message.Message):
    __slots__ = ("name", "description", "input_schema_json", "is_write", "risk", "reversible")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    INPUT_SCHEMA_JSON_FIELD_NUMBER: _ClassVar[int]
    IS_WRITE_FIELD_NUMBER: _ClassVar[int]
    RISK_FIELD_NUMBER: _ClassVar[int]
    REVERSIBLE_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    input_schema_json: str
    is_write: bool
    risk: _action_pb2.Risk
    reversible: _action_pb2.Reversible
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., input_schema_json: _Optional[str] = ..., is_write: bool = ..., risk: _Optional[_Union[_action_pb2.Risk, str]] = ..., reversible: _Optional[_Union[_action_pb2.Reversible, str]] = ...) -> None: ...

from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class Effect(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EFFECT_UNSPECIFIED: _ClassVar[Effect]
    EFFECT_NONE: _ClassVar[Effect]
    EFFECT_UNKNOWN: _ClassVar[Effect]
    EFFECT_APPLIED: _ClassVar[Effect]
EFFECT_UNSPECIFIED: Effect
EFFECT_NONE: Effect
EFFECT_UNKNOWN: Effect
EFFECT_APPLIED: Effect

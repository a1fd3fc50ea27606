from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

DESCRIPTOR: _descriptor.FileDescriptor

class ProbeDisposition(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PROBE_DISPOSITION_UNSPECIFIED: _ClassVar[ProbeDisposition]
    PROBE_DISPOSITION_EXECUTED: _ClassVar[ProbeDisposition]
    PROBE_DISPOSITION_NOT_EXECUTED: _ClassVar[ProbeDisposition]
    PROBE_DISPOSITION_IN_PROGRESS: _ClassVar[ProbeDisposition]
    PROBE_DISPOSITION_UNKNOWN: _ClassVar[ProbeDisposition]
PROBE_DISPOSITION_UNSPECIFIED: ProbeDisposition
PROBE_DISPOSITION_EXECUTED: ProbeDisposition
PROBE_DISPOSITION_NOT_EXECUTED: ProbeDisposition
PROBE_DISPOSITION_IN_PROGRESS: ProbeDisposition
PROBE_DISPOSITION_UNKNOWN: ProbeDisposition

"""Messages of the contract and the records that callers get of them, mapped by their descriptors."""

import dataclasses
import functools
from datetime import datetime, timedelta, timezone
from typing import Any, TypeVar

from google.protobuf.descriptor import EnumDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from tether import answers, records

R = TypeVar("R")

RECORDS: dict[str, type] = {
    name: kind
    for module in (records, answers)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and dataclasses.is_dataclass(kind)
}
"""By the names of their messages."""


def read(record: type[R], message: Message) -> R:
    """The record of a message."""
    value = _value_of(message)
    if not isinstance(value, record):
        raise TypeError(f"{message.DESCRIPTOR.full_name} is no {record.__name__}")
    return value


def number_of(enum: EnumDescriptor, word: str) -> Any:
    """The number of an enum's word, of the type that protoc made for that enum. Raises ValueError, with the words there are."""
    prefix = _prefix(enum)
    value = enum.values_by_name.get(prefix + word)
    if value is None or value.number == 0:
        words = ", ".join(each.name.removeprefix(prefix) for each in enum.values if each.number != 0)
        raise ValueError(f"{word!r} is not one of {words}")
    return value.number


def timestamp(time: datetime) -> Timestamp:
    """Raises ValueError for a time without a zone: nobody could know which moment it means."""
    if time.tzinfo is None:
        raise ValueError(f"{time!r} has no time zone; use datetime.now(timezone.utc), for one")
    message = Timestamp()
    message.FromDatetime(time)
    return message


def duration(span: timedelta | None) -> Duration | None:
    if span is None:
        return None
    message = Duration()
    message.FromTimedelta(span)
    return message


def _value_of(message: Message) -> Any:
    if isinstance(message, Timestamp):
        return message.ToDatetime(timezone.utc)
    if isinstance(message, Duration):
        return message.ToTimedelta()
    record = RECORDS[message.DESCRIPTOR.name]
    fields = message.DESCRIPTOR.fields_by_name
    return record(**{name: _field_of(message, fields[name]) for name in _names_of(record)})


@functools.cache
def _names_of(record: type) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(record))


def _field_of(message: Message, field: Any) -> Any:
    value = getattr(message, field.name)
    if field.is_repeated:
        return tuple(_plain(field, each) for each in value)
    if field.has_presence and not message.HasField(field.name):
        return None
    return _plain(field, value)


def _plain(field: Any, value: Any) -> Any:
    if field.message_type is not None:
        return _value_of(value)
    if field.enum_type is not None:
        return _word_of(field.enum_type, value)
    return value


def _word_of(enum: EnumDescriptor, number: int) -> str | None:
    value = enum.values_by_number.get(number)
    if value is not None and number != 0:
        return value.name.removeprefix(_prefix(enum))
    if enum.name == "Effect":
        return "UNKNOWN"  # what cannot be read cannot be known
    # Of a newer server: told apart from every word there is.
    return None if value is not None else f"UNRECOGNIZED_{number}"


def _prefix(enum: EnumDescriptor) -> str:
    return enum.values_by_number[0].name.removesuffix("UNSPECIFIED")

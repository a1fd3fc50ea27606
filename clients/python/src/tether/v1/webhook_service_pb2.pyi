from tether.v1 import webhook_delivery_pb2 as _webhook_delivery_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListDeliveriesRequest(_message.Message):
    __slots__ = ("states", "page_size", "cursor")
    STATES_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    states: _containers.RepeatedScalarFieldContainer[_webhook_delivery_pb2.WebhookDeliveryState]
    page_size: int
    cursor: str
    def __init__(self, states: _Optional[_Iterable[_Union[_webhook_delivery_pb2.WebhookDeliveryState, str]]] = ..., page_size: _Optional[int] = ..., cursor: _Optional[str] = ...) -> None: ...

class ListDeliveriesResponse(_message.Message):
    __slots__ = ("deliveries", "next_cursor")
    DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    deliveries: _containers.RepeatedCompositeFieldContainer[_webhook_delivery_pb2.WebhookDelivery]
    next_cursor: str
    def __init__(self, deliveries: _Optional[_Iterable[_Union[_webhook_delivery_pb2.WebhookDelivery, _Mapping]]] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class RedeliverRequest(_message.Message):
    __slots__ = ("delivery_id",)
    DELIVERY_ID_FIELD_NUMBER: _ClassVar[int]
    delivery_id: str
    def __init__(self, delivery_id: _Optional[str] = ...) -> None: ...

class RedeliverResponse(_message.Message):
    __slots__ = ("delivery",)
    DELIVERY_FIELD_NUMBER: _ClassVar[int]
    delivery: _webhook_delivery_pb2.WebhookDelivery
    def __init__(self, delivery: _Optional[_Union[_webhook_delivery_pb2.WebhookDelivery, _Mapping]] = ...) -> None: ...

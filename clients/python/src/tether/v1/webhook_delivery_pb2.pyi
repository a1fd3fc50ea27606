import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WebhookTopic(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WEBHOOK_TOPIC_UNSPECIFIED: _ClassVar[WebhookTopic]
    WEBHOOK_TOPIC_PENDING: _ClassVar[WebhookTopic]
    WEBHOOK_TOPIC_NEEDS_ATTENTION: _ClassVar[WebhookTopic]
    WEBHOOK_TOPIC_SETTLED: _ClassVar[WebhookTopic]
    WEBHOOK_TOPIC_EXPIRING_SOON: _ClassVar[WebhookTopic]

class WebhookDeliveryState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WEBHOOK_DELIVERY_STATE_UNSPECIFIED: _ClassVar[WebhookDeliveryState]
    WEBHOOK_DELIVERY_STATE_DUE: _ClassVar[WebhookDeliveryState]
    WEBHOOK_DELIVERY_STATE_DELIVERED: _ClassVar[WebhookDeliveryState]
    WEBHOOK_DELIVERY_STATE_DEAD: _ClassVar[WebhookDeliveryState]
WEBHOOK_TOPIC_UNSPECIFIED: WebhookTopic
WEBHOOK_TOPIC_PENDING: WebhookTopic
WEBHOOK_TOPIC_NEEDS_ATTENTION: WebhookTopic
WEBHOOK_TOPIC_SETTLED: WebhookTopic
WEBHOOK_TOPIC_EXPIRING_SOON: WebhookTopic
WEBHOOK_DELIVERY_STATE_UNSPECIFIED: WebhookDeliveryState
WEBHOOK_DELIVERY_STATE_DUE: WebhookDeliveryState
WEBHOOK_DELIVERY_STATE_DELIVERED: WebhookDeliveryState
WEBHOOK_DELIVERY_STATE_DEAD: WebhookDeliveryState

class WebhookDelivery(_message.Message):
    __slots__ = ("id", "tenant_id", "webhook", "topic", "action_id", "action_version", "state", "attempts", "created_at", "next_at", "fault")
    ID_FIELD_NUMBER: _ClassVar[int]
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    WEBHOOK_FIELD_NUMBER: _ClassVar[int]
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    ACTION_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_VERSION_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    NEXT_AT_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    id: str
    tenant_id: str
    webhook: str
    topic: WebhookTopic
    action_id: str
    action_version: int
    state: WebhookDeliveryState
    attempts: int
    created_at: _timestamp_pb2.Timestamp
    next_at: _timestamp_pb2.Timestamp
    fault: str
    def __init__(self, id: _Optional[str] = ..., tenant_id: _Optional[str] = ..., webhook: _Optional[str] = ..., topic: _Optional[_Union[WebhookTopic, str]] = ..., action_id: _Optional[str] = ..., action_version: _Optional[int] = ..., state: _Optional[_Union[WebhookDeliveryState, str]] = ..., attempts: _Optional[int] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., next_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., fault: _Optional[str] = ...) -> None: ...

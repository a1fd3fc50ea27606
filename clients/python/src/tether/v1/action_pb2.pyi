import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tether.v1 import effect_pb2 as _effect_pb2
from tether.v1 import error_pb2 as _error_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ActionState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ACTION_STATE_UNSPECIFIED: _ClassVar[ActionState]
    ACTION_STATE_PENDING: _ClassVar[ActionState]
    ACTION_STATE_EXECUTING: _ClassVar[ActionState]
    ACTION_STATE_INDETERMINATE: _ClassVar[ActionState]
    ACTION_STATE_SUCCEEDED: _ClassVar[ActionState]
    ACTION_STATE_REFUSED: _ClassVar[ActionState]
    ACTION_STATE_FAILED: _ClassVar[ActionState]
    ACTION_STATE_PRECONDITION_FAILED: _ClassVar[ActionState]
    ACTION_STATE_REJECTED: _ClassVar[ActionState]
    ACTION_STATE_EXPIRED: _ClassVar[ActionState]
    ACTION_STATE_SUPERSEDED: _ClassVar[ActionState]

class AttemptOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ATTEMPT_OUTCOME_UNSPECIFIED: _ClassVar[AttemptOutcome]
    ATTEMPT_OUTCOME_OPEN: _ClassVar[AttemptOutcome]
    ATTEMPT_OUTCOME_SUCCEEDED: _ClassVar[AttemptOutcome]
    ATTEMPT_OUTCOME_REFUSED: _ClassVar[AttemptOutcome]
    ATTEMPT_OUTCOME_FAILED: _ClassVar[AttemptOutcome]
    ATTEMPT_OUTCOME_NO_ANSWER: _ClassVar[AttemptOutcome]

class VerificationState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERIFICATION_STATE_UNSPECIFIED: _ClassVar[VerificationState]
    VERIFICATION_STATE_DUE: _ClassVar[VerificationState]
    VERIFICATION_STATE_VERIFIED: _ClassVar[VerificationState]
    VERIFICATION_STATE_UNVERIFIED: _ClassVar[VerificationState]

class Risk(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RISK_UNSPECIFIED: _ClassVar[Risk]
    RISK_NORMAL: _ClassVar[Risk]
    RISK_ELEVATED: _ClassVar[Risk]
    RISK_HIGH: _ClassVar[Risk]

class Reversible(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REVERSIBLE_UNSPECIFIED: _ClassVar[Reversible]
    REVERSIBLE_YES: _ClassVar[Reversible]
    REVERSIBLE_NO: _ClassVar[Reversible]
    REVERSIBLE_EXTERNAL: _ClassVar[Reversible]
ACTION_STATE_UNSPECIFIED: ActionState
ACTION_STATE_PENDING: ActionState
ACTION_STATE_EXECUTING: ActionState
ACTION_STATE_INDETERMINATE: ActionState
ACTION_STATE_SUCCEEDED: ActionState
ACTION_STATE_REFUSED: ActionState
ACTION_STATE_FAILED: ActionState
ACTION_STATE_PRECONDITION_FAILED: ActionState
ACTION_STATE_REJECTED: ActionState
ACTION_STATE_EXPIRED: ActionState
ACTION_STATE_SUPERSEDED: ActionState
ATTEMPT_OUTCOME_UNSPECIFIED: AttemptOutcome
ATTEMPT_OUTCOME_OPEN: AttemptOutcome
ATTEMPT_OUTCOME_SUCCEEDED: AttemptOutcome
ATTEMPT_OUTCOME_REFUSED: AttemptOutcome
ATTEMPT_OUTCOME_FAILED: AttemptOutcome
ATTEMPT_OUTCOME_NO_ANSWER: AttemptOutcome
VERIFICATION_STATE_UNSPECIFIED: VerificationState
VERIFICATION_STATE_DUE: VerificationState
VERIFICATION_STATE_VERIFIED: VerificationState
VERIFICATION_STATE_UNVERIFIED: VerificationState
RISK_UNSPECIFIED: Risk
RISK_NORMAL: Risk
RISK_ELEVATED: Risk
RISK_HIGH: Risk
REVERSIBLE_UNSPECIFIED: Reversible
REVERSIBLE_YES: Reversible
REVERSIBLE_NO: Reversible
REVERSIBLE_EXTERNAL: Reversible

class Action(_message.Message):
    __slots__ = ("id", "tenant_id", "scope", "user_id", "tool", "arguments_json", "preview_digest", "plan_id", "summary", "risk", "reversible", "value", "acknowledgement_required", "acknowledgement_reasons", "state", "effect", "version", "attempts_used", "attempts_allowed", "attempts", "result_json", "error", "precondition_json", "verification", "needs_attention", "created_at", "expires_at", "claimed_at", "settled_at", "proposed_by", "confirmed_by", "supersedes", "superseded_by", "rejection_reason", "rejected_by", "placed_at", "amended_by", "second_person_required")
    ID_FIELD_NUMBER: _ClassVar[int]
    TENANT_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_JSON_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_DIGEST_FIELD_NUMBER: _ClassVar[int]
    PLAN_ID_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    RISK_FIELD_NUMBER: _ClassVar[int]
    REVERSIBLE_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    ACKNOWLEDGEMENT_REQUIRED_FIELD_NUMBER: _ClassVar[int]
    ACKNOWLEDGEMENT_REASONS_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    EFFECT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_USED_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_ALLOWED_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    RESULT_JSON_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    PRECONDITION_JSON_FIELD_NUMBER: _ClassVar[int]
    VERIFICATION_FIELD_NUMBER: _ClassVar[int]
    NEEDS_ATTENTION_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    CLAIMED_AT_FIELD_NUMBER: _ClassVar[int]
    SETTLED_AT_FIELD_NUMBER: _ClassVar[int]
    PROPOSED_BY_FIELD_NUMBER: _ClassVar[int]
    CONFIRMED_BY_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDES_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_BY_FIELD_NUMBER: _ClassVar[int]
    REJECTION_REASON_FIELD_NUMBER: _ClassVar[int]
    REJECTED_BY_FIELD_NUMBER: _ClassVar[int]
    PLACED_AT_FIELD_NUMBER: _ClassVar[int]
    AMENDED_BY_FIELD_NUMBER: _ClassVar[int]
    SECOND_PERSON_REQUIRED_FIELD_NUMBER: _ClassVar[int]
    id: str
    tenant_id: str
    scope: str
    user_id: str
    tool: str
    arguments_json: str
    preview_digest: str
    plan_id: str
    summary: str
    risk: Risk
    reversible: Reversible
    value: DeclaredValue
    acknowledgement_required: bool
    acknowledgement_reasons: _containers.RepeatedScalarFieldContainer[str]
    state: ActionState
    effect: _effect_pb2.Effect
    version: int
    attempts_used: int
    attempts_allowed: int
    attempts: _containers.RepeatedCompositeFieldContainer[Attempt]
    result_json: str
    error: _error_pb2.ActionableError
    precondition_json: str
    verification: Verification
    needs_attention: bool
    created_at: _timestamp_pb2.Timestamp
    expires_at: _timestamp_pb2.Timestamp
    claimed_at: _timestamp_pb2.Timestamp
    settled_at: _timestamp_pb2.Timestamp
    proposed_by: Actor
    confirmed_by: Actor
    supersedes: str
    superseded_by: str
    rejection_reason: str
    rejected_by: Actor
    placed_at: _timestamp_pb2.Timestamp
    amended_by: Actor
    second_person_required: bool
    def __init__(self, id: _Optional[str] = ..., tenant_id: _Optional[str] = ..., scope: _Optional[str] = ..., user_id: _Optional[str] = ..., tool: _Optional[str] = ..., arguments_json: _Optional[str] = ..., preview_digest: _Optional[str] = ..., plan_id: _Optional[str] = ..., summary: _Optional[str] = ..., risk: _Optional[_Union[Risk, str]] = ..., reversible: _Optional[_Union[Reversible, str]] = ..., value: _Optional[_Union[DeclaredValue, _Mapping]] = ..., acknowledgement_required: bool = ..., acknowledgement_reasons: _Optional[_Iterable[str]] = ..., state: _Optional[_Union[ActionState, str]] = ..., effect: _Optional[_Union[_effect_pb2.Effect, str]] = ..., version: _Optional[int] = ..., attempts_used: _Optional[int] = ..., attempts_allowed: _Optional[int] = ..., attempts: _Optional[_Iterable[_Union[Attempt, _Mapping]]] = ..., result_json: _Optional[str] = ..., error: _Optional[_Union[_error_pb2.ActionableError, _Mapping]] = ..., precondition_json: _Optional[str] = ..., verification: _Optional[_Union[Verification, _Mapping]] = ..., needs_attention: bool = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., claimed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., settled_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., proposed_by: _Optional[_Union[Actor, _Mapping]] = ..., confirmed_by: _Optional[_Union[Actor, _Mapping]] = ..., supersedes: _Optional[str] = ..., superseded_by: _Optional[str] = ..., rejection_reason: _Optional[str] = ..., rejected_by: _Optional[_Union[Actor, _Mapping]] = ..., placed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., amended_by: _Optional[_Union[Actor, _Mapping]] = ..., second_person_required: bool = ...) -> None: ...

class DeclaredValue(_message.Message):
    __slots__ = ("amount_json", "threshold_json", "unit")
    AMOUNT_JSON_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_JSON_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    amount_json: str
    threshold_json: str
    unit: str
    def __init__(self, amount_json: _Optional[str] = ..., threshold_json: _Optional[str] = ..., unit: _Optional[str] = ...) -> None: ...

class Verification(_message.Message):
    __slots__ = ("state", "reason", "verified_at")
    STATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    VERIFIED_AT_FIELD_NUMBER: _ClassVar[int]
    state: VerificationState
    reason: str
    verified_at: _timestamp_pb2.Timestamp
    def __init__(self, state: _Optional[_Union[VerificationState, str]] = ..., reason: _Optional[str] = ..., verified_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Attempt(_message.Message):
    __slots__ = ("number", "started_at", "finished_at", "outcome", "effect", "error", "deadline_at")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    FINISHED_AT_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    EFFECT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_AT_FIELD_NUMBER: _ClassVar[int]
    number: int
    started_at: _timestamp_pb2.Timestamp
    finished_at: _timestamp_pb2.Timestamp
    outcome: AttemptOutcome
    effect: _effect_pb2.Effect
    error: _error_pb2.ActionableError
    deadline_at: _timestamp_pb2.Timestamp
    def __init__(self, number: _Optional[int] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., finished_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., outcome: _Optional[_Union[AttemptOutcome, str]] = ..., effect: _Optional[_Union[_effect_pb2.Effect, str]] = ..., error: _Optional[_Union[_error_pb2.ActionableError, _Mapping]] = ..., deadline_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Actor(_message.Message):
    __slots__ = ("credential_id", "user_id")
    CREDENTIAL_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    credential_id: str
    user_id: str
    def __init__(self, credential_id: _Optional[str] = ..., user_id: _Optional[str] = ...) -> None: ...

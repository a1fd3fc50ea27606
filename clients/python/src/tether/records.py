"""What Tether answers with, as plain immutable values.

Each record is named as its message in `proto/tether/v1`, with the same fields, and a sentence on each is there. Enums are
words without their prefix (`"PENDING"`), times are aware datetimes in UTC, and what is unset is None. JSON stays the text
that was sent, in a field named `…_json`; the property without `_json` is its value.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias

from tether import json_text

ActionState: TypeAlias = Literal[
    "PENDING",
    "EXECUTING",
    "INDETERMINATE",
    "SUCCEEDED",
    "REFUSED",
    "FAILED",
    "PRECONDITION_FAILED",
    "REJECTED",
    "EXPIRED",
    "SUPERSEDED",
]
Effect: TypeAlias = Literal["NONE", "UNKNOWN", "APPLIED"]
AttemptOutcome: TypeAlias = Literal["OPEN", "SUCCEEDED", "REFUSED", "FAILED", "NO_ANSWER"]
ConfirmStatus: TypeAlias = Literal[
    "EXECUTED", "REPLAYED", "REFUSED", "FAILED_RETRYABLE", "FAILED", "INDETERMINATE", "PRECONDITION_FAILED"
]
ProbeDisposition: TypeAlias = Literal["EXECUTED", "NOT_EXECUTED", "IN_PROGRESS", "UNKNOWN"]
Risk: TypeAlias = Literal["NORMAL", "ELEVATED", "HIGH"]
Reversible: TypeAlias = Literal["YES", "NO", "EXTERNAL"]
Role: TypeAlias = Literal["AGENT", "APPROVER", "OPERATOR"]
StopKind: TypeAlias = Literal["TOOL", "ENDPOINT", "TENANT"]
VerificationState: TypeAlias = Literal["DUE", "VERIFIED", "UNVERIFIED"]
ActionEventType: TypeAlias = Literal[
    "STAGED",
    "CLAIMED",
    "SETTLED",
    "LATE_ANSWER",
    "LEASE_OVER",
    "EXPIRED",
    "REJECTED",
    "SUPERSEDED",
    "PRECONDITION_CHANGED",
    "RESOLVED",
    "PROBED",
    "VERIFIED",
]


@dataclass(frozen=True, slots=True)
class Alternative:
    """A move that is open to the caller."""

    action: str
    tool: str = ""
    arguments_json: str = ""
    description: str = ""
    extra_json: str = ""

    @property
    def arguments(self) -> Any:
        return json_text.read(self.arguments_json)

    @property
    def extra(self) -> Any:
        return json_text.read(self.extra_json)


@dataclass(frozen=True, slots=True)
class ActionableError:
    """What went wrong, said so that the next call can be computed from it."""

    code: str
    message: str
    field: str = ""
    received_json: str = ""
    limit_json: str = ""
    accepted_json: tuple[str, ...] = ()
    effect: Effect = "UNKNOWN"
    retryable: bool = False
    retry_after: timedelta | None = None
    alternatives: tuple[Alternative, ...] = ()

    @property
    def received(self) -> Any:
        return json_text.read(self.received_json)

    @property
    def limit(self) -> Any:
        return json_text.read(self.limit_json)

    @property
    def accepted(self) -> tuple[Any, ...]:
        return tuple(json_text.read(text) for text in self.accepted_json)


@dataclass(frozen=True, slots=True)
class Actor:
    credential_id: str
    user_id: str


@dataclass(frozen=True, slots=True)
class DeclaredValue:
    amount_json: str
    threshold_json: str
    unit: str

    @property
    def amount(self) -> Any:
        return json_text.read(self.amount_json)

    @property
    def threshold(self) -> Any:
        return json_text.read(self.threshold_json)


@dataclass(frozen=True, slots=True)
class Verification:
    state: VerificationState
    reason: str
    verified_at: datetime | None


@dataclass(frozen=True, slots=True)
class Attempt:
    number: int
    started_at: datetime
    finished_at: datetime | None
    outcome: AttemptOutcome
    effect: Effect
    error: ActionableError | None
    deadline_at: datetime


@dataclass(frozen=True, slots=True)
class Action:
    """One staged write, from proposal to outcome."""

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
    reversible: Reversible | None
    value: DeclaredValue | None
    acknowledgement_required: bool
    acknowledgement_reasons: tuple[str, ...]
    state: ActionState
    effect: Effect
    version: int
    attempts_used: int
    attempts_allowed: int
    attempts: tuple[Attempt, ...]
    result_json: str
    error: ActionableError | None
    precondition_json: str
    verification: Verification | None
    needs_attention: bool
    created_at: datetime
    expires_at: datetime
    claimed_at: datetime | None
    settled_at: datetime | None
    proposed_by: Actor
    confirmed_by: Actor | None
    supersedes: str
    superseded_by: str
    rejection_reason: str
    rejected_by: Actor | None
    placed_at: datetime
    amended_by: Actor | None
    second_person_required: bool

    @property
    def arguments(self) -> Any:
        return json_text.read(self.arguments_json)

    @property
    def result(self) -> Any:
        return json_text.read(self.result_json)

    @property
    def precondition(self) -> Any:
        return json_text.read(self.precondition_json)


@dataclass(frozen=True, slots=True)
class ActionEvent:
    """One transition of one action, from the audit trail."""

    action_id: str
    version: int
    type: ActionEventType
    from_state: ActionState | None
    to_state: ActionState
    effect: Effect
    attempt: int
    actor: Actor | None
    preview_digest: str
    note: str
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as the catalog declares it: what a harness hands to its model."""

    name: str
    description: str
    input_schema_json: str
    is_write: bool
    risk: Risk
    reversible: Reversible | None

    @property
    def input_schema(self) -> Any:
        return json_text.read(self.input_schema_json)


@dataclass(frozen=True, slots=True)
class Credential:
    """An API key of a tenant: whose it is and what it may do. Never the key itself."""

    id: str
    tenant_id: str
    role: Role
    user_id: str
    all_scopes: bool
    scopes: tuple[str, ...]
    name: str
    prefix: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    rotated_at: datetime | None
    previous_key_until: datetime | None


@dataclass(frozen=True, slots=True)
class Stop:
    """What an operator stopped: while it stands, nothing new is staged, claimed or read there."""

    tenant_id: str
    kind: StopKind
    name: str
    reason: str
    stopped_by: Actor
    stopped_at: datetime

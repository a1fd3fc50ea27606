"""The answers of the RPCs, named as their messages: records around records (see `records`)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tether import json_text
from tether.records import (
    Action,
    ActionableError,
    ActionEvent,
    ConfirmStatus,
    Credential,
    ProbeDisposition,
    Stop,
    Tool,
)


@dataclass(frozen=True, slots=True)
class StageResponse:
    action: Action
    model_json: str
    idempotent_replay: bool


@dataclass(frozen=True, slots=True)
class CallResponse:
    """What came of a tool call: `result_json` of a read (its value is `result`), or the `action` that waits for a person."""

    model_json: str
    result_json: str | None
    action: Action | None
    pending_actions: tuple[Action, ...]
    idempotent_replay: bool

    @property
    def result(self) -> Any:
        return json_text.read(self.result_json or "")


@dataclass(frozen=True, slots=True)
class ConfirmResponse:
    status: ConfirmStatus
    action: Action
    result_json: str
    error: ActionableError | None
    model_json: str
    idempotent_replay: bool

    @property
    def result(self) -> Any:
        return json_text.read(self.result_json)

    @property
    def succeeded(self) -> bool:
        """Whether the write was done, now or before."""
        return self.status in ("EXECUTED", "REPLAYED")


@dataclass(frozen=True, slots=True)
class NotRun:
    reason: str


@dataclass(frozen=True, slots=True)
class ConfirmPlanResponse:
    """What came of one entry of a plan: exactly one of `confirmed`, `error` and `not_run` is there."""

    index: int
    action_id: str
    confirmed: ConfirmResponse | None
    error: ActionableError | None
    not_run: NotRun | None


@dataclass(frozen=True, slots=True)
class GetResponse:
    action: Action
    model_json: str


@dataclass(frozen=True, slots=True)
class ReplayResponse:
    action: Action
    result_json: str
    model_json: str
    idempotent_replay: bool

    @property
    def result(self) -> Any:
        return json_text.read(self.result_json)


@dataclass(frozen=True, slots=True)
class ListResponse:
    actions: tuple[Action, ...]
    next_cursor: str


@dataclass(frozen=True, slots=True)
class ActionChange:
    event: ActionEvent
    action: Action | None


@dataclass(frozen=True, slots=True)
class WatchHeartbeat:
    pass


@dataclass(frozen=True, slots=True)
class WatchResponse:
    """One thing that a watcher is told: exactly one of `snapshot`, `change` and `heartbeat` is there."""

    snapshot: Action | None
    change: ActionChange | None
    heartbeat: WatchHeartbeat | None
    cursor: str

    @property
    def action(self) -> Action | None:
        """The action that it tells of; None for a heartbeat, and for a change of an action that is gone."""
        if self.change is not None:
            return self.change.action
        return self.snapshot


@dataclass(frozen=True, slots=True)
class RejectResponse:
    action: Action
    model_json: str
    idempotent_replay: bool


@dataclass(frozen=True, slots=True)
class AmendResponse:
    action: Action
    superseded: Action
    model_json: str
    idempotent_replay: bool


@dataclass(frozen=True, slots=True)
class ResolveResponse:
    action: Action
    model_json: str
    idempotent_replay: bool


@dataclass(frozen=True, slots=True)
class ProbeNowResponse:
    disposition: ProbeDisposition
    settled: bool
    action: Action
    model_json: str
    next_probe_at: datetime | None


@dataclass(frozen=True, slots=True)
class Difference:
    pointer: str
    before_json: str
    now_json: str


@dataclass(frozen=True, slots=True)
class RecheckResponse:
    holds: bool
    before_json: str
    now_json: str
    differences: tuple[Difference, ...]
    action: Action


@dataclass(frozen=True, slots=True)
class ListEventsResponse:
    events: tuple[ActionEvent, ...]
    next_cursor: str
    has_more: bool


@dataclass(frozen=True, slots=True)
class ListToolsResponse:
    tools: tuple[Tool, ...]


@dataclass(frozen=True, slots=True)
class CredentialServiceCreateResponse:
    credential: Credential
    key: str


@dataclass(frozen=True, slots=True)
class CredentialServiceListResponse:
    credentials: tuple[Credential, ...]
    next_cursor: str


@dataclass(frozen=True, slots=True)
class CredentialServiceRotateResponse:
    credential: Credential
    key: str


@dataclass(frozen=True, slots=True)
class CredentialServiceRevokeResponse:
    credential: Credential


@dataclass(frozen=True, slots=True)
class StopResponse:
    stop: Stop


@dataclass(frozen=True, slots=True)
class ResumeResponse:
    stop: Stop


@dataclass(frozen=True, slots=True)
class ListStopsResponse:
    stops: tuple[Stop, ...]

"""What a person decides."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tether import answers, json_text, wire
from tether.records import Action
from tether.repeating import Repeat
from tether.rpc import (
    ENDPOINT_TIMEOUT,
    PLAN_TIMEOUT,
    RECORD_TIMEOUT,
    Actions,
    Rpc,
    Stream,
    attempts_of,
    by_get,
    id_of,
)
from tether.v1 import action_service_pb2


def confirm(
    action: Action | str,
    *,
    acknowledge_high_risk: bool = False,
    acknowledge_indeterminate: bool = False,
    expected_attempts: int | None = None,
    preview_digest: str | None = None,
    idempotency_key: str | None = None,
    timeout: float | None = ENDPOINT_TIMEOUT,
) -> Rpc[answers.ConfirmResponse]:
    """Runs a staged write: one decision of a person, at most one attempt. Role: approver.

    Pass the action as it was shown to them: its digest and its count of attempts say what they decided about. With an id alone
    you have to say `expected_attempts`, how many attempts had been used when they decided. A confirm whose answer is lost is
    sent again with that and the same `idempotency_key` (a fresh one if you name none): it gets what came of the first one,
    and never makes an attempt of its own.
    """
    decision = Decision(
        action,
        acknowledge_high_risk=acknowledge_high_risk,
        acknowledge_indeterminate=acknowledge_indeterminate,
        expected_attempts=expected_attempts,
        preview_digest=preview_digest,
        idempotency_key=idempotency_key or uuid.uuid4().hex,
    )
    request = decision.request()
    find_out = (by_get(idempotency_key=request.idempotency_key), by_get(action_id=request.action_id))
    return Rpc(Actions, "Confirm", request, answers.ConfirmResponse, Repeat.SAME_ATTEMPT, timeout, find_out)


def confirm_plan(
    decisions: "Iterable[Decision]", *, timeout: float | None = PLAN_TIMEOUT
) -> Stream[answers.ConfirmPlanResponse]:
    """Runs several staged writes, in this order, and stops at the first that does not succeed. Role: approver.

    Yields what came of each entry, and which were not run. It is not repeated by itself. The same decisions can be given
    again: what they ran is REPLAYED, what failed is told as it was, and what was not run yet is run.
    """
    request = action_service_pb2.ConfirmPlanRequest(entries=[decision.request() for decision in decisions])
    find_out = tuple(by_get(action_id=entry.action_id) for entry in request.entries)
    return Stream(Actions, "ConfirmPlan", request, answers.ConfirmPlanResponse, timeout, find_out)


@dataclass(frozen=True)
class Decision:
    """A person's yes to one action of a plan; the fields are those of `confirm`."""

    action: Action | str
    acknowledge_high_risk: bool = False
    acknowledge_indeterminate: bool = False
    expected_attempts: int | None = None
    preview_digest: str | None = None
    idempotency_key: str = field(default_factory=lambda: uuid.uuid4().hex)

    def request(self) -> action_service_pb2.ConfirmRequest:
        shown = self.action.preview_digest if isinstance(self.action, Action) else ""
        return action_service_pb2.ConfirmRequest(
            action_id=id_of(self.action),
            acknowledge_high_risk=self.acknowledge_high_risk,
            acknowledge_indeterminate=self.acknowledge_indeterminate,
            expected_attempts=attempts_of(self.action, self.expected_attempts),
            preview_digest=shown if self.preview_digest is None else self.preview_digest,
            idempotency_key=self.idempotency_key,
        )


def reject(action: Action | str, reason: str, *, timeout: float | None = RECORD_TIMEOUT) -> Rpc[answers.RejectResponse]:
    """Says no, with a reason that the model gets. Role: approver."""
    request = action_service_pb2.RejectRequest(action_id=id_of(action), reason=reason)
    find_out = (by_get(action_id=request.action_id),)
    return Rpc(Actions, "Reject", request, answers.RejectResponse, Repeat.NEVER, timeout, find_out)


def amend(
    action: Action | str,
    arguments: Mapping[str, Any],
    *,
    request_id: str = "",
    timeout: float | None = ENDPOINT_TIMEOUT,
) -> Rpc[answers.AmendResponse]:
    """Stages other arguments in the action's place, whose id is dead from then on. Role: approver."""
    request = action_service_pb2.AmendRequest(
        action_id=id_of(action), arguments_json=json_text.write(dict(arguments)), request_id=request_id
    )
    find_out = (by_get(action_id=request.action_id),)
    return Rpc(Actions, "Amend", request, answers.AmendResponse, Repeat.NEVER, timeout, find_out)


def resolve(
    action: Action | str,
    *,
    landed: bool,
    note: str,
    observed_at: datetime,
    expected_attempts: int | None = None,
    result: Any = None,
    timeout: float | None = RECORD_TIMEOUT,
) -> Rpc[answers.ResolveResponse]:
    """Settles a doubt by a person's word: it landed, or it did not. Role: approver.

    `observed_at` is when they looked at the business system, `note` what they saw, `result` what the write gave, if they know
    it. `expected_attempts` is how many attempts had been used then; the action says it, if you pass that and not its id.
    """
    request = action_service_pb2.ResolveRequest(
        action_id=id_of(action),
        landed=landed,
        note=note,
        observed_at=wire.timestamp(observed_at),
        expected_attempts=attempts_of(action, expected_attempts),
        result_json="" if result is None else json_text.write(result),
    )
    find_out = (by_get(action_id=request.action_id),)
    return Rpc(Actions, "Resolve", request, answers.ResolveResponse, Repeat.NEVER, timeout, find_out)


def probe_now(action: Action | str, *, timeout: float | None = ENDPOINT_TIMEOUT) -> Rpc[answers.ProbeNowResponse]:
    """Asks the endpoint now what became of an action in doubt. Role: approver."""
    request = action_service_pb2.ProbeNowRequest(action_id=id_of(action))
    find_out = (by_get(action_id=request.action_id),)
    return Rpc(Actions, "ProbeNow", request, answers.ProbeNowResponse, Repeat.NEVER, timeout, find_out)


def recheck(action: Action | str, *, timeout: float | None = ENDPOINT_TIMEOUT) -> Rpc[answers.RecheckResponse]:
    """Whether an action's precondition still holds; changes nothing. Role: approver."""
    request = action_service_pb2.RecheckRequest(action_id=id_of(action))
    return Rpc(Actions, "Recheck", request, answers.RecheckResponse, Repeat.NEVER, timeout)

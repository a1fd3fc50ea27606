"""The life of an action as a caller sees it."""

import json
from datetime import datetime, timedelta, timezone

import pytest
from place import Server, Vendor, in_doubt, seen
from relay import Relay

from tether import Client, Decision, TetherError
from tether.endpoint import Refusal


def test_a_read_runs_and_its_numbers_are_what_the_vendor_sent(agent: Client, vendor: Vendor, ticket: str) -> None:
    vendor.results[ticket] = {"id": 2**80, "price": 0.1, "name": "Käse 🧀", "none": None}
    answer = agent.call("get_ticket", {"ticket_id": ticket})
    assert answer.result == {"id": 2**80, "price": 0.1, "name": "Käse 🧀", "none": None}
    assert str(2**80) in (answer.result_json or "")
    assert answer.action is None


def test_a_write_waits_is_confirmed_and_told(agent: Client, approver: Client, vendor: Vendor, ticket: str) -> None:
    proposed = agent.call(
        "void_ticket", {"ticket_id": ticket, "amount": 12.5}, plan_id=ticket, ttl=timedelta(minutes=5)
    )
    action = proposed.action
    assert action is not None
    assert (action.state, action.effect, action.risk, action.reversible) == ("PENDING", "NONE", "NORMAL", None)
    assert action.arguments == {"ticket_id": ticket, "amount": 12.5}
    assert action.created_at.utcoffset() == timedelta(0)
    assert action.expires_at - action.created_at == timedelta(minutes=5)
    assert json.loads(proposed.model_json)["preview"] is True
    assert vendor.writes_of(ticket) == []

    confirmed = approver.confirm(action)
    assert (confirmed.status, confirmed.succeeded, confirmed.error) == ("EXECUTED", True, None)
    assert confirmed.result == {"ticket_id": ticket, "status": "void"}
    assert (confirmed.action.state, confirmed.action.effect) == ("SUCCEEDED", "APPLIED")
    assert [attempt.outcome for attempt in confirmed.action.attempts] == ["SUCCEEDED"]
    assert confirmed.action.confirmed_by is not None

    again = approver.confirm(confirmed.action)
    assert (again.status, again.idempotent_replay, again.result_json) == ("REPLAYED", True, confirmed.result_json)
    assert agent.replay(action.id).result == confirmed.result
    assert agent.get(action).action == again.action
    assert len(vendor.writes_of(ticket)) == 1

    events = approver.list_events(action).events
    assert [event.type for event in events] == ["STAGED", "CLAIMED", "SETTLED"]
    assert events[0].from_state is None


def test_lists_filter_and_page(agent: Client, approver: Client, ticket: str) -> None:
    ids = [agent.stage("void_ticket", {"ticket_id": f"{ticket}-{n}"}, plan_id=ticket).action.id for n in range(3)]
    first = approver.list(plan_id=ticket, states=["PENDING"], page_size=2)
    rest = approver.list(plan_id=ticket, states=["PENDING"], page_size=2, cursor=first.next_cursor)
    assert [action.id for action in (*first.actions, *rest.actions)] == ids[::-1]
    assert rest.next_cursor == ""
    with pytest.raises(ValueError, match="'pending' is not one of PENDING, EXECUTING"):
        approver.list(states=["pending"])  # type: ignore[list-item]


def test_the_tools_come_with_their_schemas(agent: Client) -> None:
    tools = {tool.name: tool for tool in agent.list_tools().tools}
    assert tools["get_ticket"].input_schema["required"] == ["ticket_id"]
    assert (tools["refund"].is_write, tools["refund"].risk, tools["refund"].reversible) == (True, "HIGH", "EXTERNAL")


def test_a_rejection_reaches_the_model(agent: Client, approver: Client, ticket: str) -> None:
    action = agent.stage("void_ticket", {"ticket_id": ticket}).action
    rejected = approver.reject(action, "Not today.")
    assert rejected.action.state == "REJECTED"
    told = agent.get(action)
    assert told.action.rejection_reason == "Not today."
    assert json.loads(told.model_json)["error"] == "action_rejected"


def test_an_amendment_takes_the_place_of_its_action(agent: Client, approver: Client, ticket: str) -> None:
    action = agent.stage("void_ticket", {"ticket_id": ticket}).action
    amended = approver.amend(action, {"ticket_id": ticket, "reason": "spilled"})
    assert (amended.superseded.id, amended.superseded.state) == (action.id, "SUPERSEDED")
    assert amended.action.arguments == {"ticket_id": ticket, "reason": "spilled"}
    assert amended.action.supersedes == action.id


def test_a_refusal_is_told_with_everything_that_the_vendor_said(
    agent: Client, approver: Client, vendor: Vendor, ticket: str
) -> None:
    move = {
        "action": "refund_rest",
        "tool": "refund",
        "arguments": {"amount": 44},
        "description": "The rest.",
        "fee": 2,
    }
    vendor.refuses[ticket] = Refusal(
        "amount_exceeds_paid",
        "60 is more than the 44 that were paid.",
        field="amount",
        received=60,
        limit=44,
        accepted=[44, 20.5],
        retryable=True,
        retry_after=timedelta(seconds=90),
        alternatives=[move],
    )
    confirmed = approver.confirm(agent.stage("void_ticket", {"ticket_id": ticket, "amount": 60}).action)
    error = confirmed.error
    assert (confirmed.status, confirmed.succeeded) == ("REFUSED", False)
    assert error is not None
    assert (error.code, error.message) == ("amount_exceeds_paid", "60 is more than the 44 that were paid.")
    assert (error.field, error.received, error.limit, error.accepted) == ("amount", 60, 44, (44, 20.5))
    assert (error.effect, error.retryable, error.retry_after) == ("NONE", False, timedelta(seconds=90))
    mine = next(each for each in error.alternatives if each.action == "refund_rest")
    assert (mine.tool, mine.arguments, mine.description) == ("refund", {"amount": 44}, "The rest.")
    assert mine.extra == {"fee": 2}


def test_a_risk_is_acknowledged(agent: Client, approver: Client, ticket: str) -> None:
    action = agent.stage("refund", {"ticket_id": ticket, "amount": 80}).action
    assert action.value is not None
    assert (action.value.amount, action.value.threshold, action.value.unit) == (80, 50, "USD")
    with pytest.raises(TetherError) as caught:
        approver.confirm(action)
    assert (caught.value.code, caught.value.field) == ("RISK_ACKNOWLEDGEMENT_REQUIRED", "acknowledge_high_risk")
    assert approver.confirm(action, acknowledge_high_risk=True).status == "EXECUTED"


def test_a_changed_world_stops_a_write(agent: Client, approver: Client, vendor: Vendor, ticket: str) -> None:
    action = agent.stage("close_ticket", {"ticket_id": ticket}).action
    assert approver.recheck(action).holds
    vendor.voided.add(ticket)
    assert [change.pointer for change in approver.recheck(action).differences] == ["/status"]
    assert approver.confirm(action).status == "PRECONDITION_FAILED"
    assert vendor.writes_of(ticket) == []


def test_a_person_settles_a_doubt(
    agent: Client, approver: Client, vendor: Vendor, vendor_relay: Relay, ticket: str
) -> None:
    action = in_doubt(agent.stage("archive_ticket", {"ticket_id": ticket}).action, approver, vendor, vendor_relay)
    assert (action.state, action.effect, action.needs_attention) == ("INDETERMINATE", "UNKNOWN", True)
    assert action.id in {each.id for each in approver.list(needs_attention=True).actions}
    with pytest.raises(TetherError, match="answers no probes"):
        approver.probe_now(action)
    with pytest.raises(ValueError, match="has no time zone"):
        approver.resolve(action, landed=True, note="It is void.", observed_at=datetime(2026, 1, 1))
    now = datetime.now(timezone.utc)
    resolved = approver.resolve(action, landed=True, note="It is void.", observed_at=now, result={"status": "void"})
    assert (resolved.action.state, resolved.action.result) == ("SUCCEEDED", {"status": "void"})


def test_the_endpoint_itself_settles_a_doubt_from_its_ledger(
    agent: Client, approver: Client, vendor: Vendor, vendor_relay: Relay, ticket: str
) -> None:
    action = in_doubt(agent.stage("void_ticket", {"ticket_id": ticket}).action, approver, vendor, vendor_relay)
    settled = seen(agent, action, lambda now: now.state == "SUCCEEDED")
    assert settled.result == {"ticket_id": ticket, "status": "void"}
    assert len(vendor.writes_of(ticket)) == 1


def test_a_plan_runs_in_order_and_stops_at_the_first_that_fails(
    agent: Client, approver: Client, vendor: Vendor, ticket: str
) -> None:
    actions = [agent.stage("void_ticket", {"ticket_id": f"{ticket}-{n}"}, plan_id=ticket).action for n in range(3)]
    vendor.refuses[f"{ticket}-1"] = Refusal("ticket_closed", "It is closed.")
    verdicts = list(approver.confirm_plan(Decision(action) for action in actions))
    assert [verdict.action_id for verdict in verdicts] == [action.id for action in actions]
    assert [verdict.confirmed and verdict.confirmed.status for verdict in verdicts] == ["EXECUTED", "REFUSED", None]
    assert verdicts[2].not_run is not None
    assert vendor.writes_of(f"{ticket}-2") == []


def test_an_operator_manages_keys_and_stops_tools(server: Server, ticket: str) -> None:
    with server.client("operator") as operator:
        made = operator.create_credential(role="AGENT", user_id="bot", scopes=["store-1"], name="till")
        assert (made.credential.role, made.credential.scopes) == ("AGENT", ("store-1",))
        assert made.credential.id in {each.id for each in operator.list_credentials().credentials}
        rotated = operator.rotate_credential(made.credential.id, overlap=timedelta(hours=1))
        with Client(server.address, key=lambda: rotated.key) as bot:
            assert bot.stage("void_ticket", {"ticket_id": ticket}, scope="store-1").action.scope == "store-1"
            stopped = operator.stop("TOOL", "void_ticket", reason="Stocktaking.").stop
            assert (stopped.kind, stopped.name, stopped.reason) == ("TOOL", "void_ticket", "Stocktaking.")
            with pytest.raises(TetherError, match="STOPPED"):
                bot.stage("void_ticket", {"ticket_id": f"{ticket}-1"}, scope="store-1")
            assert operator.list_stops().stops == (stopped,)
            operator.resume("TOOL", "void_ticket")
            assert operator.revoke_credential(made.credential.id).credential.revoked_at is not None
            with pytest.raises(TetherError, match="UNAUTHENTICATED"):
                bot.list_tools()

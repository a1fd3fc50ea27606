"""What happens when an answer is lost on its way: what is repeated, what is not, and what is said."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from http2 import sending_streams_away
from place import Server, Vendor, seen
from relay import Relay

from tether import NO_ANSWER, Action, Client, ConfirmResponse, TetherError


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as pool:
        yield pool


@pytest.fixture
def relayed_agent(server: Server, relay: Relay) -> Iterator[Client]:
    with Client(relay.address, key=server.keys["agent"]) as client:
        yield client


@pytest.fixture
def relayed_approver(server: Server, relay: Relay) -> Iterator[Client]:
    with Client(relay.address, key=server.keys["approver"]) as client:
        yield client


def test_a_confirm_that_is_cut_off_under_way_gets_what_came_of_its_one_attempt(
    agent: Client, relayed_approver: Client, relay: Relay, vendor: Vendor, ticket: str, threads: ThreadPoolExecutor
) -> None:
    let_go = vendor.hold(ticket)
    action = agent.stage("void_ticket", {"ticket_id": ticket}).action
    confirming = threads.submit(relayed_approver.confirm, action)
    vendor.wait_for(ticket)
    relay.cut()
    relay.wait_for(connections=2)  # it asks again, and is told that a confirm is under way
    let_go()
    confirmed = confirming.result()
    assert (confirmed.status, confirmed.action.attempts_used) == ("REPLAYED", 1)
    assert confirmed.result == {"ticket_id": ticket, "status": "void"}
    assert len(vendor.writes_of(ticket)) == 1


def test_a_confirm_whose_answer_is_lost_gets_it_from_the_record(
    agent: Client, relayed_approver: Client, relay: Relay, vendor: Vendor, ticket: str, threads: ThreadPoolExecutor
) -> None:
    action = agent.stage("void_ticket", {"ticket_id": ticket}).action
    confirming = lose_the_answer_of(relayed_approver, action, agent, vendor, relay, threads)
    confirmed = confirming.result()
    assert (confirmed.status, confirmed.idempotent_replay) == ("REPLAYED", True)
    assert len(vendor.writes_of(ticket)) == 1


def test_no_machine_makes_a_second_attempt_after_a_failure_that_a_person_could_repeat(
    agent: Client, relayed_approver: Client, relay: Relay, vendor: Vendor, ticket: str, threads: ThreadPoolExecutor
) -> None:
    vendor.fails.add(ticket)
    action = agent.stage("void_ticket", {"ticket_id": ticket}).action
    confirming = lose_the_answer_of(relayed_approver, action, agent, vendor, relay, threads)
    confirmed = confirming.result()
    assert confirmed.status == "FAILED_RETRYABLE"
    assert confirmed.error is not None and confirmed.error.retryable
    assert len(vendor.writes_of(ticket)) == 1

    # A person who decides again, about the action as it is now, has it attempted again.
    vendor.fails.remove(ticket)
    assert relayed_approver.confirm(confirmed.action).status == "EXECUTED"
    assert [call.attempt for call in vendor.writes_of(ticket)] == [1, 2]


def test_an_id_alone_does_not_say_what_a_person_decided_about(approver: Client) -> None:
    with pytest.raises(TypeError, match="say expected_attempts"):
        approver.confirm("01890000-0000-7000-8000-000000000000")


def test_a_stage_whose_answer_is_lost_gives_the_action_that_it_made(
    agent: Client, relayed_agent: Client, relay: Relay, ticket: str, threads: ThreadPoolExecutor
) -> None:
    relayed_agent.list_tools()
    relay.swallow()
    staging = threads.submit(relayed_agent.stage, "void_ticket", {"ticket_id": ticket}, plan_id=ticket)
    made = next(each.action for each in agent.watch(plan_id=ticket) if each.action is not None)
    relay.cut()
    assert staging.result().action.id == made.id
    assert len(agent.list(plan_id=ticket).actions) == 1


def test_a_read_is_repeated(relayed_agent: Client, relay: Relay, threads: ThreadPoolExecutor) -> None:
    relayed_agent.list_tools()
    relay.swallow()
    listing = threads.submit(relayed_agent.list_tools)
    relay.wait_until_swallowed(count=500)  # no less than its answer
    relay.cut()
    assert listing.result().tools != ()


def test_nothing_else_is_repeated_and_the_error_says_how_to_find_out(
    agent: Client, relayed_approver: Client, relay: Relay, ticket: str, threads: ThreadPoolExecutor
) -> None:
    action = agent.stage("void_ticket", {"ticket_id": ticket}).action
    relayed_approver.get(action)
    relay.swallow()
    rejecting = threads.submit(relayed_approver.reject, action, "Not today.")
    seen(agent, action, lambda now: now.state == "REJECTED")
    relay.cut()
    error = error_in(rejecting)
    assert (error.code, error.status, error.effect, error.retryable) == (NO_ANSWER, "UNAVAILABLE", "UNKNOWN", False)
    assert [(move.action, move.arguments) for move in error.alternatives] == [("get", {"action_id": action.id})]
    assert relay.connections == 1


def test_a_confirm_that_nobody_answers_in_time_is_found_by_its_key(
    agent: Client, approver: Client, vendor: Vendor, ticket: str
) -> None:
    let_go = vendor.hold(ticket)
    action = agent.stage("void_ticket", {"ticket_id": ticket}).action
    with pytest.raises(TetherError) as caught:
        approver.confirm(action, timeout=2)
    error = caught.value
    assert (error.code, error.status, error.effect) == (NO_ANSWER, "DEADLINE_EXCEEDED", "UNKNOWN")
    key = error.alternatives[0].arguments["idempotency_key"]
    assert approver.get(idempotency_key=key).action.state == "EXECUTING"
    let_go()
    seen(agent, action, lambda now: now.state == "SUCCEEDED")
    # The same decision again, with the same count of attempts, is no second attempt.
    assert approver.confirm(action, idempotency_key=key).succeeded
    assert len(vendor.writes_of(ticket)) == 1


def test_a_call_that_is_under_way_when_its_client_is_closed_is_told(
    agent: Client, server: Server, vendor: Vendor, ticket: str, threads: ThreadPoolExecutor
) -> None:
    let_go = vendor.hold(ticket)
    action = agent.stage("void_ticket", {"ticket_id": ticket}).action
    client = server.client("approver")
    confirming = threads.submit(client.confirm, action)
    vendor.wait_for(ticket)
    client.close()
    error = error_in(confirming)
    assert (error.code, error.status, error.effect) == (NO_ANSWER, "CANCELLED", "UNKNOWN")
    let_go()


def test_a_server_that_is_not_there_is_waited_for_as_long_as_one_says_and_no_longer(server: Server) -> None:
    gone = Relay(server.port)
    gone.close()
    with Client(gone.address, key=server.keys["agent"], patience=0.5) as client:
        with pytest.raises(TetherError) as read:
            client.list_tools()
        with pytest.raises(TetherError) as stage:
            client.stage("void_ticket", {"ticket_id": "T-1"})
        with pytest.raises(TetherError):
            next(client.watch())
    assert (read.value.code, read.value.effect) == (NO_ANSWER, "NONE")
    assert (stage.value.code, stage.value.effect) == (NO_ANSWER, "UNKNOWN")
    assert [move.action for move in stage.value.alternatives] == ["get"]


def test_the_library_itself_repeats_nothing() -> None:
    with sending_streams_away() as (address, streams), Client(address, key="k", patience=0) as client:
        with pytest.raises(TetherError) as caught:
            client.reject("01890000-0000-7000-8000-000000000000", "No.")
    assert caught.value.code == NO_ANSWER
    assert streams() == 1


def lose_the_answer_of(
    approver: Client, action: Action, agent: Client, vendor: Vendor, relay: Relay, threads: ThreadPoolExecutor
) -> Future[ConfirmResponse]:
    """Confirms, lets the server settle it, and cuts the connection before any of that has come through."""
    ticket = action.arguments["ticket_id"]
    let_go = vendor.hold(ticket)
    confirming = threads.submit(approver.confirm, action)
    vendor.wait_for(ticket)
    relay.swallow()
    let_go()
    seen(agent, action, lambda now: now.attempts[-1:] != () and now.attempts[-1].outcome != "OPEN")
    relay.cut()
    return confirming


def error_in(call: Future[Any]) -> TetherError:
    error = call.exception()
    assert isinstance(error, TetherError)
    return error

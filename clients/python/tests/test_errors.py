"""Every refusal arrives whole."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import grpc
import pytest
from place import Server, Vendor

from tether import NO_ANSWER, Client, TetherError
from tether.channel import credentials_for, on_this_machine


def test_an_unknown_tool_is_answered_with_the_names_there_are(agent: Client) -> None:
    with pytest.raises(TetherError) as caught:
        agent.call("void_tickets", {"ticket_id": "T-1"})
    error = caught.value
    assert (error.code, error.status, error.effect, error.retryable) == ("TOOL_NOT_FOUND", "NOT_FOUND", "NONE", False)
    assert (error.field, error.received) == ("tool", "void_tickets")
    assert "void_ticket" in error.accepted
    assert "void_tickets" in error.message
    assert {move.action for move in error.alternatives} <= {"call", "stage", "reject"}


def test_arguments_that_do_not_fit_name_the_field(agent: Client) -> None:
    with pytest.raises(TetherError) as caught:
        agent.stage("void_ticket", {"ticket_id": 4417})
    assert (caught.value.code, caught.value.field, caught.value.received) == ("INVALID_ARGUMENTS", "ticket_id", 4417)


def test_an_integer_that_a_double_cannot_hold_is_refused_and_not_rounded(agent: Client) -> None:
    with pytest.raises(TetherError) as caught:
        agent.stage("refund", {"ticket_id": "T-1", "amount": 2**53 + 1})
    assert (caught.value.code, caught.value.received) == ("INVALID_ARGUMENTS", 2**53 + 1)


def test_what_is_no_json_is_not_sent(agent: Client) -> None:
    with pytest.raises(ValueError):
        agent.stage("refund", {"ticket_id": "T-1", "amount": float("nan")})
    with pytest.raises(TypeError):
        agent.stage("refund", {"ticket_id": "T-1", "amount": {1, 2}})


def test_an_agent_can_never_confirm(agent: Client, ticket: str) -> None:
    action = agent.stage("void_ticket", {"ticket_id": ticket}).action
    with pytest.raises(TetherError) as caught:
        agent.confirm(action)
    assert (caught.value.code, caught.value.status) == ("PERMISSION_DENIED", "PERMISSION_DENIED")
    assert caught.value.accepted == ("approver",)


def test_a_confirm_of_somebody_else_that_is_under_way_is_told_at_once(
    agent: Client, approver: Client, vendor: Vendor, ticket: str
) -> None:
    let_go = vendor.hold(ticket)
    action = agent.stage("void_ticket", {"ticket_id": ticket}).action
    with ThreadPoolExecutor() as threads:
        confirming = threads.submit(approver.confirm, action)
        vendor.wait_for(ticket)
        with pytest.raises(TetherError) as caught:
            approver.confirm(action)
        let_go()
        assert confirming.result().succeeded
    error = caught.value
    assert (error.code, error.status, error.retryable) == ("CONFIRM_IN_FLIGHT", "ABORTED", True)
    assert error.retry_after is not None and timedelta(0) < error.retry_after <= timedelta(seconds=50)


def test_an_unknown_key_is_turned_away(server: Server) -> None:
    with Client(server.address, key="tth_demo_nobody") as nobody, pytest.raises(TetherError) as caught:
        nobody.list_tools()
    assert (caught.value.code, caught.value.effect) == ("UNAUTHENTICATED", "NONE")


def test_a_server_that_is_not_tether_gives_no_answer() -> None:
    stranger = grpc.server(ThreadPoolExecutor())
    port = stranger.add_insecure_port("127.0.0.1:0")
    stranger.start()
    try:
        with Client(f"127.0.0.1:{port}", key="k") as client, pytest.raises(TetherError) as caught:
            client.stage("void_ticket", {"ticket_id": "T-1"})
    finally:
        stranger.stop(None).wait()
    error = caught.value
    assert (error.code, error.status, error.effect) == (NO_ANSWER, "UNIMPLEMENTED", "UNKNOWN")


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("127.0.0.1:50051", True),
        ("127.8.0.1:1", True),
        ("localhost:50051", True),
        ("[::1]:50051", True),
        ("unix:/run/tether.sock", True),
        ("tether.example:50051", False),
        ("10.0.0.7:50051", False),
        ("localhost.example:50051", False),
        ("0.0.0.0:50051", False),
    ],
)
def test_a_key_goes_out_in_plain_text_to_this_machine_alone(address: str, here: bool) -> None:
    assert on_this_machine(address) is here
    assert (credentials_for(address, None) is None) is here
    assert credentials_for(address, False) is None
    assert credentials_for(address, True) is not None

"""What is written by hand here says what the contract says."""

import dataclasses
from datetime import datetime, timezone
from typing import Any, get_args

import pytest
from google.protobuf.descriptor_pb2 import MethodOptions

from tether import AsyncClient, Client, credentials, deciding, proposing, reading, records, stopping, wire
from tether.repeating import Repeat
from tether.rpc import Rpc, Stream
from tether.v1 import (
    action_event_pb2,
    action_pb2,
    action_service_pb2,
    credential_pb2,
    credential_service_pb2,
    error_pb2,
    stop_pb2,
    stop_service_pb2,
    tool_pb2,
    tool_service_pb2,
)

FILES: list[Any] = [
    module.DESCRIPTOR
    for module in (
        action_event_pb2,
        action_pb2,
        action_service_pb2,
        credential_pb2,
        credential_service_pb2,
        error_pb2,
        stop_pb2,
        stop_service_pb2,
        tool_pb2,
        tool_service_pb2,
    )
]
ID = "01890000-0000-7000-8000-000000000000"
CALLS: list[Rpc[Any] | Stream[Any]] = [
    proposing.list_tools(),
    proposing.call("tool"),
    proposing.stage("tool"),
    reading.get(ID),
    reading.replay(ID),
    reading.list_actions(),
    reading.list_events(),
    reading.watch(),
    deciding.confirm(ID, expected_attempts=0),
    deciding.confirm_plan([]),
    deciding.reject(ID, "No."),
    deciding.amend(ID, {}),
    deciding.resolve(ID, landed=True, note="Seen.", observed_at=datetime.now(timezone.utc), expected_attempts=1),
    deciding.probe_now(ID),
    deciding.recheck(ID),
    credentials.create_credential(role="AGENT", user_id="bot", all_scopes=True),
    credentials.list_credentials(),
    credentials.rotate_credential(ID),
    credentials.revoke_credential(ID),
    stopping.stop("TENANT"),
    stopping.resume("TENANT"),
    stopping.list_stops(),
]


def test_every_rpc_of_these_services_can_be_called() -> None:
    there = {
        f"{service.name}Stub.{rpc.name}"
        for file in FILES
        for service in file.services_by_name.values()
        for rpc in service.methods
    }
    assert {f"{getattr(call.stub, '__name__', '')}.{call.name}" for call in CALLS} == there


def test_both_clients_have_the_same_methods() -> None:
    names = [{name for name in vars(client) if not name.startswith("_")} for client in (Client, AsyncClient)]
    assert names[0] - {"channel"} == names[1] - {"channel"}
    assert len(names[0]) > len(CALLS)


def test_what_is_repeated_as_a_read_is_what_the_contract_calls_one() -> None:
    rpcs = {
        f"{service.name}Stub.{rpc.name}": rpc
        for file in FILES
        for service in file.services_by_name.values()
        for rpc in service.methods
    }
    for call in CALLS:
        if isinstance(call, Rpc):
            level = rpcs[f"{getattr(call.stub, '__name__', '')}.{call.name}"].GetOptions().idempotency_level
            assert (call.repeat is Repeat.READ) == (level == MethodOptions.NO_SIDE_EFFECTS), call.name


@pytest.mark.parametrize("name", sorted(wire.RECORDS))
def test_a_record_has_the_fields_of_its_message(name: str) -> None:
    (message,) = (file.message_types_by_name[name] for file in FILES if name in file.message_types_by_name)
    assert {field.name for field in dataclasses.fields(wire.RECORDS[name])} == {field.name for field in message.fields}


@pytest.mark.parametrize(
    "enum", [enum for file in FILES for enum in file.enum_types_by_name.values()], ids=lambda enum: enum.name
)
def test_a_word_for_every_value(enum: Any) -> None:
    words = get_args(getattr(records, enum.name))
    assert [wire.number_of(enum, word) for word in words] == [
        value.number for value in enum.values if value.number != 0
    ]


def test_what_a_newer_server_says_beyond_it_is_told_apart() -> None:
    newer = action_pb2.Action(state=99, effect=99, risk=99)  # type: ignore[arg-type]
    action = wire.read(records.Action, newer)
    assert (action.state, action.effect, action.risk) == ("UNRECOGNIZED_99", "UNKNOWN", "UNRECOGNIZED_99")

"""A watch goes on by itself, wherever its stream is cut."""

from collections.abc import Iterator

import pytest
from place import Server
from relay import Relay

from tether import Client, TetherError, WatchResponse
from tether.reading import watch
from tether.streaming import Place
from tether.v1 import action_pb2, action_service_pb2


def test_a_watch_tells_what_there_is_then_every_change(agent: Client, approver: Client, ticket: str) -> None:
    first = agent.stage("void_ticket", {"ticket_id": f"{ticket}-1"}, plan_id=ticket).action
    updates = agent.watch(plan_id=ticket)
    snapshot, complete = next(updates), next(updates)
    assert (snapshot.snapshot, snapshot.action, snapshot.change) == (first, first, None)
    assert complete.heartbeat is not None and complete.action is None
    approver.confirm(first)
    changes = [next(updates) for _ in range(2)]
    assert [each.change and each.change.event.type for each in changes] == ["CLAIMED", "SETTLED"]
    assert all(each.action is not None and each.action.id == first.id for each in changes)


def test_a_watch_that_is_cut_hears_what_happened_meanwhile_once_each(
    server: Server, agent: Client, approver: Client, relay: Relay, ticket: str
) -> None:
    with Client(relay.address, key=server.keys["agent"]) as watcher:
        updates = watcher.watch(plan_id=ticket)
        until_complete(updates)
        made, heard = [], []
        for turn in range(3):
            relay.swallow()
            action = agent.stage("void_ticket", {"ticket_id": f"{ticket}-{turn}"}, plan_id=ticket).action
            relay.wait_until_swallowed()
            relay.cut()
            approver.reject(action, "Not today.")
            made += [(action.id, "STAGED"), (action.id, "REJECTED")]
            for update in updates:
                assert update.snapshot is None, "it has begun anew"
                if update.change is not None:
                    heard.append((update.change.event.action_id, update.change.event.type))
                    if heard[-1] == made[-1]:
                        break
        assert heard == made
        assert relay.connections == 4


def test_a_watch_goes_on_at_a_cursor_of_before(agent: Client, ticket: str) -> None:
    complete = until_complete(agent.watch(plan_id=ticket))
    action = agent.stage("void_ticket", {"ticket_id": ticket}, plan_id=ticket).action
    updates = agent.watch(plan_id=ticket, cursor=complete.cursor)
    change = next(each.change for each in updates if each.heartbeat is None)
    assert change is not None and change.event.action_id == action.id


def test_a_watch_that_is_cut_within_its_snapshot_begins_anew() -> None:
    place = Place(watch(), patience=1)
    place.heard(action_service_pb2.WatchResponse(snapshot=action_pb2.Action(), cursor="behind all snapshots"))
    assert place.request == action_service_pb2.WatchRequest(filter=action_service_pb2.ActionFilter())
    place.heard(action_service_pb2.WatchResponse(heartbeat=action_service_pb2.WatchHeartbeat(), cursor="complete"))
    assert place.request == action_service_pb2.WatchRequest(filter=action_service_pb2.ActionFilter(), cursor="complete")


def test_a_watch_that_is_refused_ends_with_the_reason(server: Server) -> None:
    with Client(server.address, key="tth_demo_nobody") as nobody, pytest.raises(TetherError, match="UNAUTHENTICATED"):
        next(nobody.watch())


def test_closing_the_client_ends_its_watches(server: Server, ticket: str) -> None:
    client = server.client("agent")
    updates = client.watch(plan_id=ticket)
    until_complete(updates)
    client.close()
    assert list(updates) == []


def until_complete(updates: Iterator[WatchResponse]) -> WatchResponse:
    """The heartbeat behind the snapshot."""
    return next(each for each in updates if each.heartbeat is not None)

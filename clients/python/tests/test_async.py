"""The client for asyncio keeps the same promises."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from place import Server, Vendor
from relay import Relay

from tether import NO_ANSWER, AsyncClient, TetherError, WatchResponse


def test_the_walk(server: Server, vendor: Vendor, ticket: str) -> None:
    async def walk() -> None:
        async with (
            AsyncClient(server.address, key=server.keys["agent"]) as agent,
            AsyncClient(server.address, key=server.keys["approver"]) as approver,
        ):
            assert (await agent.call("get_ticket", {"ticket_id": ticket})).result == {"status": "open"}
            names = [f"{ticket}-{n}" for n in range(10)]
            staged = await asyncio.gather(
                *(agent.stage("void_ticket", {"ticket_id": name}, plan_id=ticket) for name in names)
            )
            confirmed = await asyncio.gather(*(approver.confirm(each.action) for each in staged))
            assert {each.status for each in confirmed} == {"EXECUTED"}
            assert [len(vendor.writes_of(name)) for name in names] == [1] * 10
            page = await approver.list(plan_id=ticket, states=["SUCCEEDED"])
            assert len(page.actions) == 10
            with pytest.raises(TetherError, match="TOOL_NOT_FOUND"):
                await agent.call("no_such_tool")

    asyncio.run(walk())


def test_a_confirm_that_is_cut_off_under_way_gets_what_came_of_its_one_attempt(
    server: Server, relay: Relay, vendor: Vendor, ticket: str
) -> None:
    async def lose() -> None:
        async with (
            AsyncClient(server.address, key=server.keys["agent"]) as agent,
            AsyncClient(relay.address, key=server.keys["approver"]) as approver,
        ):
            let_go = vendor.hold(ticket)
            action = (await agent.stage("void_ticket", {"ticket_id": ticket})).action
            confirming = asyncio.ensure_future(approver.confirm(action))
            await asyncio.to_thread(vendor.wait_for, ticket)
            relay.cut()
            await asyncio.to_thread(relay.wait_for, 2)
            let_go()
            assert (await confirming).succeeded
            assert len(vendor.writes_of(ticket)) == 1

    asyncio.run(lose())


def test_a_watch_that_is_cut_hears_what_happened_meanwhile(server: Server, relay: Relay, ticket: str) -> None:
    async def watch() -> None:
        async with (
            AsyncClient(server.address, key=server.keys["agent"]) as agent,
            AsyncClient(relay.address, key=server.keys["agent"]) as watcher,
        ):
            updates = watcher.watch(plan_id=ticket)
            async for update in updates:
                if update.heartbeat is not None:
                    break
            relay.swallow()
            action = (await agent.stage("void_ticket", {"ticket_id": ticket}, plan_id=ticket)).action
            await asyncio.to_thread(relay.wait_until_swallowed)
            relay.cut()
            async for update in updates:
                if update.change is not None:
                    assert update.change.event.action_id == action.id
                    break

    asyncio.run(watch())


def test_a_task_that_is_cancelled_ends_its_call_and_not_the_write(server: Server, vendor: Vendor, ticket: str) -> None:
    async def cancel() -> None:
        async with (
            AsyncClient(server.address, key=server.keys["agent"]) as agent,
            AsyncClient(server.address, key=server.keys["approver"]) as approver,
        ):
            let_go = vendor.hold(ticket)
            action = (await agent.stage("void_ticket", {"ticket_id": ticket}, plan_id=ticket)).action
            confirming = asyncio.ensure_future(approver.confirm(action))
            await asyncio.to_thread(vendor.wait_for, ticket)
            confirming.cancel()
            with pytest.raises(asyncio.CancelledError):
                await confirming
            let_go()
            async for update in agent.watch(plan_id=ticket):
                if update.action is not None and update.action.state == "SUCCEEDED":
                    break
            assert len(vendor.writes_of(ticket)) == 1

    asyncio.run(cancel())


def test_closing_the_client_ends_its_watches_and_tells_its_calls(server: Server, vendor: Vendor, ticket: str) -> None:
    async def close() -> None:
        async with AsyncClient(server.address, key=server.keys["agent"]) as agent:
            action = (await agent.stage("void_ticket", {"ticket_id": ticket})).action
        client = AsyncClient(server.address, key=server.keys["approver"])
        let_go = vendor.hold(ticket)
        confirming = asyncio.ensure_future(client.confirm(action))
        updates = client.watch(plan_id=ticket)
        async for update in updates:
            if update.heartbeat is not None:
                break
        rest = asyncio.ensure_future(collect(updates))
        await asyncio.to_thread(vendor.wait_for, ticket)
        await client.close()
        assert await rest == []
        with pytest.raises(TetherError) as caught:
            await confirming
        assert (caught.value.code, caught.value.status, caught.value.effect) == (NO_ANSWER, "CANCELLED", "UNKNOWN")
        let_go()

    asyncio.run(close())


async def collect(updates: AsyncIterator[WatchResponse]) -> list[WatchResponse]:
    return [update async for update in updates]

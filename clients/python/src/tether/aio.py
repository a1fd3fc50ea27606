"""The client for asyncio."""

import asyncio
import functools
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

import grpc
import grpc.aio

from tether import credentials, deciding, proposing, reading, stopping, wire
from tether.channel import Key, Options, credentials_for, metadata_with, options_with
from tether.errors import TetherError, error_of, no_answer
from tether.method import described_as
from tether.repeating import Tries
from tether.rpc import SERVICES, Rpc, Stream
from tether.streaming import Place

P = ParamSpec("P")
R = TypeVar("R")


def _call(build: Callable[P, Rpc[R]]) -> Callable[Concatenate["AsyncClient", P], Awaitable[R]]:
    async def call(self: "AsyncClient", /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._send(build(*args, **kwargs))

    return described_as(build, call)


def _stream(build: Callable[P, Stream[R]]) -> Callable[Concatenate["AsyncClient", P], AsyncIterator[R]]:
    def stream(self: "AsyncClient", /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[R]:
        return self._open(build(*args, **kwargs))

    return described_as(build, stream)


class AsyncClient:
    """As `Client`, for asyncio: the same parameters and methods, awaited, and `async for` over what streams.

    It belongs to the event loop that is running when it is first used.
    """

    def __init__(
        self,
        address: str,
        *,
        key: Key,
        tls: grpc.ChannelCredentials | bool | None = None,
        patience: float = 30.0,
        options: Options = (),
    ) -> None:
        self._address = address
        self._secure = credentials_for(address, tls)
        self._options = options_with(options)
        self._key = key
        self._patience = patience
        self._closed = False
        self._calls: set[Any] = set()

    @functools.cached_property
    def channel(self) -> grpc.aio.Channel:
        """For stubs of your own, of health or reflection, say; send the key along yourself."""
        if self._secure is None:
            return grpc.aio.insecure_channel(self._address, self._options)
        return grpc.aio.secure_channel(self._address, self._secure, self._options)

    @functools.cached_property
    def _stubs(self) -> Mapping[Callable[[Any], Any], Any]:
        return {stub: stub(self.channel) for stub in SERVICES}

    list_tools = _call(proposing.list_tools)
    call = _call(proposing.call)
    stage = _call(proposing.stage)

    get = _call(reading.get)
    replay = _call(reading.replay)
    list = _call(reading.list_actions)
    list_events = _call(reading.list_events)
    watch = _stream(reading.watch)

    confirm = _call(deciding.confirm)
    confirm_plan = _stream(deciding.confirm_plan)
    reject = _call(deciding.reject)
    amend = _call(deciding.amend)
    resolve = _call(deciding.resolve)
    probe_now = _call(deciding.probe_now)
    recheck = _call(deciding.recheck)

    create_credential = _call(credentials.create_credential)
    list_credentials = _call(credentials.list_credentials)
    rotate_credential = _call(credentials.rotate_credential)
    revoke_credential = _call(credentials.revoke_credential)
    stop = _call(stopping.stop)
    resume = _call(stopping.resume)
    list_stops = _call(stopping.list_stops)

    async def close(self) -> None:
        """Ends the connection, and what is under way on it. What a call has begun on the server goes on there."""
        self._closed = True
        # The channel looks for its calls in the stacks of tasks, and does not find each.
        for call in tuple(self._calls):
            call.cancel()
        await self.channel.close()

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def _send(self, rpc: Rpc[R]) -> R:
        tries = Tries(rpc.repeat, self._patience, rpc.find_out, rpc.ends(time.monotonic()))
        send = getattr(self._stubs[rpc.stub], rpc.name)
        while True:
            call = send(rpc.request, timeout=tries.left(time.monotonic()), metadata=metadata_with(self._key))
            self._calls.add(call)
            try:
                return wire.read(rpc.answer, await call)
            except (grpc.RpcError, asyncio.CancelledError) as ended:
                error, pause = tries.failed(self._error_of(ended), time.monotonic())
                if pause is None or self._closed:
                    raise error from ended
            finally:
                self._calls.discard(call)
            await asyncio.sleep(pause)

    async def _open(self, stream: Stream[R]) -> AsyncIterator[R]:
        place = Place(stream, self._patience)
        send = getattr(self._stubs[stream.stub], stream.name)
        while not self._closed:
            call = send(place.request, timeout=stream.timeout, metadata=metadata_with(self._key))
            self._calls.add(call)
            cause: BaseException | None = None
            try:
                async for message in call:
                    yield place.heard(message)
                cut = place.ended()
            except (grpc.RpcError, asyncio.CancelledError) as ended:
                cut, cause = self._error_of(ended), ended
            finally:
                call.cancel()
                self._calls.discard(call)
            if cut is None or self._closed:
                return
            error, pause = place.failed(cut, time.monotonic())
            if pause is None:
                raise error from cause
            await asyncio.sleep(pause)

    def _error_of(self, ended: grpc.RpcError | asyncio.CancelledError) -> TetherError:
        """What the end of a call says. Raises it if that is the end of the task that waited for the call, as a task ends."""
        if isinstance(ended, grpc.RpcError):
            return error_of(ended)
        if self._closed and not _is_cancelled():
            return no_answer("CANCELLED")
        raise ended


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    # Python 3.10 cannot tell; there the client that was closed decides.
    return task is not None and hasattr(task, "cancelling") and task.cancelling() > 0

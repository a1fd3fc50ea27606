"""The synchronous client."""

import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Concatenate, ParamSpec, TypeVar

import grpc

from tether import credentials, deciding, proposing, reading, stopping, wire
from tether.channel import Key, Options, credentials_for, metadata_with, options_with
from tether.errors import error_of
from tether.method import described_as
from tether.repeating import Tries
from tether.rpc import SERVICES, Rpc, Stream
from tether.streaming import Place

P = ParamSpec("P")
R = TypeVar("R")


def _call(build: Callable[P, Rpc[R]]) -> Callable[Concatenate["Client", P], R]:
    def call(self: "Client", /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._send(build(*args, **kwargs))

    return described_as(build, call)


def _stream(build: Callable[P, Stream[R]]) -> Callable[Concatenate["Client", P], Iterator[R]]:
    def stream(self: "Client", /, *args: P.args, **kwargs: P.kwargs) -> Iterator[R]:
        return self._open(build(*args, **kwargs))

    return described_as(build, stream)


class Client:
    """Calls Tether as one credential. Threads can share it, and one is enough for a program.

    `address` is that of the gRPC door, `host:port`. This machine is spoken to in plain text and every other one by TLS; `tls`
    says otherwise: True, False, or credentials of your own. `key` is an API key or token, or a function that gives one for
    each call. `patience` is for how many seconds after its first loss a call is sent again, where that is harmless. `options`
    are gRPC channel arguments. It connects at the first call.

    Every method raises TetherError when its call is refused or not answered.
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
        secure = credentials_for(address, tls)
        self.channel: grpc.Channel = (
            grpc.insecure_channel(address, options_with(options))
            if secure is None
            else grpc.secure_channel(address, secure, options_with(options))
        )
        """For stubs of your own, of health or reflection, say; send the key along yourself."""
        self._key = key
        self._patience = patience
        self._stubs = {stub: stub(self.channel) for stub in SERVICES}
        self._closed = False

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

    def close(self) -> None:
        """Ends the connection, and what is under way on it. What a call has begun on the server goes on there."""
        self._closed = True
        self.channel.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _send(self, rpc: Rpc[R]) -> R:
        tries = Tries(rpc.repeat, self._patience, rpc.find_out, rpc.ends(time.monotonic()))
        send = getattr(self._stubs[rpc.stub], rpc.name)
        while True:
            try:
                message = send(rpc.request, timeout=tries.left(time.monotonic()), metadata=metadata_with(self._key))
                return wire.read(rpc.answer, message)
            except grpc.RpcError as failed:
                error, pause = tries.failed(error_of(failed), time.monotonic())
                if pause is None or self._closed:
                    raise error from failed
                time.sleep(pause)

    def _open(self, stream: Stream[R]) -> Iterator[R]:
        place = Place(stream, self._patience)
        send = getattr(self._stubs[stream.stub], stream.name)
        while not self._closed:
            call = send(place.request, timeout=stream.timeout, metadata=metadata_with(self._key))
            try:
                for message in call:
                    yield place.heard(message)
                cut, cause = place.ended(), None
            except grpc.RpcError as failed:
                cut, cause = error_of(failed), failed
            finally:
                call.cancel()
            if cut is None or self._closed:
                return
            error, pause = place.failed(cut, time.monotonic())
            if pause is None:
                raise error from cause
            time.sleep(pause)

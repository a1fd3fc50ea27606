"""An endpoint of no transport yet: `http` and `grpc_service` serve it."""

import hashlib
import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from typing import Any, Generic, Literal, TypeVar

import rfc8785

from tether import json_text
from tether.endpoint.call import Call, Question
from tether.endpoint.judge import Asked, Write, past_deadline
from tether.endpoint.ledger import Ledger
from tether.endpoint.outcome import Disposition, Failed, Outcome, Refused, Result, Undecided
from tether.endpoint.refusal import Refusal, no_longer_than
from tether.endpoint.signature import Headers, signature_check

Tx = TypeVar("Tx")
Args = dict[str, Any]
Read = Callable[[Args, Call], Any]
"""Looks something up and changes nothing: it is called without asking anybody, and repeated. Its result is sent as JSON."""
WriteHandler = Callable[[Args, Call, Tx], Any]
"""Makes one change that a person confirmed, through the transaction that also records it; its result is kept with it."""
R = TypeVar("R", bound=Read)

log = logging.getLogger("tether.endpoint")


class Endpoint(Generic[Tx]):
    """Tools, and the duties of whoever answers for them: who calls, once for each key, not after the deadline.

    `signing_secrets` is what calls must be signed with: one `whsec_…`, or two while one takes the place of the other, as a
    list or one text with spaces between; False answers whoever comes. `ledger` remembers which writes were made; needed as
    soon as a tool is a write. `max_result_bytes` is Tether's own limit unless the catalog says otherwise.

        endpoint = Endpoint(signing_secrets=os.environ["POS_SIGNING_SECRET"], ledger=Ledger(lambda: psycopg.connect(url)))

        @endpoint.read("get_ticket")
        def get_ticket(args, call): ...

        @endpoint.write("void_ticket")
        def void_ticket(args, call, tx): ...

    A handler says no by raising a Refusal. Whatever else it raises is logged, and nobody is told more than that it failed.
    """

    def __init__(
        self,
        *,
        signing_secrets: str | Sequence[str] | Literal[False],
        ledger: Ledger[Tx] | None = None,
        max_result_bytes: int = 262_144,
        max_request_bytes: int = 1_048_576,
    ) -> None:
        self.max_request_bytes = max_request_bytes
        self._check = None if signing_secrets is False else signature_check(signing_secrets)
        self._ledger = ledger
        self._max_result_bytes = max_result_bytes
        self._reads: dict[str, Read] = {}
        self._writes: dict[str, WriteHandler[Tx]] = {}

    def read(self, tool: str) -> Callable[[R], R]:
        """Declares the handler of a read, by the name that the catalog gives the tool."""

        def declare(handler: R) -> R:
            self._assert_new(tool)
            self._reads[tool] = handler
            return handler

        return declare

    def write(self, tool: str) -> Callable[[WriteHandler[Tx]], WriteHandler[Tx]]:
        """Declares the handler of a write. Raises ValueError without a ledger: nothing would keep it from being done twice."""
        if self._ledger is None:
            raise ValueError(f"{tool} is a write, and there is no ledger that could keep it from being done twice")

        def declare(handler: WriteHandler[Tx]) -> WriteHandler[Tx]:
            self._assert_new(tool)
            self._writes[tool] = handler
            return handler

        return declare

    def check_signature(self, body: bytes, headers: Headers) -> None:
        """Raises UnsignedError for a call that may not come in. `body`: the bytes as they came."""
        if self._check is not None:
            self._check(body, headers)

    def invoke(self, call: Call) -> Outcome | Failed:
        """What came of a call. Never raises."""
        try:
            return self._run(call)
        except Exception as error:
            log.exception("%s failed (request %s, attempt %d)", call.tool, call.request_id, call.attempt)
            return Failed(error)

    def probe(self, question: Question) -> Disposition | Failed:
        """What became of a write. Never raises."""
        try:
            if self._ledger is None or question.tool not in self._writes:
                return Undecided("unknown")
            key, tenant = question.request_id, question.tenant.id
            return self._ledger.probe(Asked(key, tenant, question.tool, question.attempt))
        except Exception as error:
            log.exception("a probe of %s failed (request %s)", question.tool, question.request_id)
            return Failed(error)

    def _run(self, call: Call) -> Outcome:
        read, write = self._reads.get(call.tool), self._writes.get(call.tool)
        try:
            if read is not None and call.mode == "read":
                return self._look_up(read, call)
            if write is not None and call.mode == "execute" and self._ledger is not None:
                return self._do(write, call, self._ledger)
        except Refusal as refusal:
            return Refused(self._fitting(refusal).error)
        if read is None and write is None:
            accepted = [*self._reads, *self._writes]
            message = f"There is no tool {call.tool} here."
            return Refused(Refusal("unknown_tool", message, field="tool", received=call.tool, accepted=accepted).error)
        # A catalog that declares a write as a read would have it run unasked and repeated: not here.
        kind, wanted = ("read", "read") if write is None else ("write", "execute")
        message = f"{call.tool} is a {kind}, and was called with mode {call.mode}; nothing was done."
        return Refused(Refusal("wrong_mode", message, field="mode", received=call.mode, accepted=[wanted]).error)

    def _look_up(self, handler: Read, call: Call) -> Outcome:
        if datetime.now(timezone.utc) >= call.deadline:
            return past_deadline(call.deadline)
        return Result(self._text_of(handler(call.args, call), call.tool))

    def _do(self, handler: WriteHandler[Tx], call: Call, ledger: Ledger[Tx]) -> Outcome:
        def work(tx: Tx) -> str:
            try:
                return self._text_of(handler(call.args, call, tx), call.tool)
            except Refusal as refusal:
                raise self._fitting(refusal) from refusal.__cause__

        key, tenant, digest = call.request_id, call.tenant.id, _digest_of(call.args)
        return ledger.once(Write(key, tenant, call.tool, call.attempt, digest, call.deadline), work)

    def _text_of(self, result: Any, tool: str) -> str:
        """The result as the JSON text that is sent and kept."""
        if isinstance(result, dict) and result.get("error") not in (None, False, ""):
            raise TypeError(
                f'{tool} returned a dict with an "error", which is taken for a refusal; raise Refusal to say no'
            )
        text = json_text.write(result)
        size, limit = len(text.encode()), self._max_result_bytes
        if size <= limit:
            return text
        message = (
            f"The result of {tool} has {size} bytes, and at most {limit} can be sent; nothing was done. Ask for less."
        )
        raise Refusal("result_too_large", message, received=size, limit=limit)

    def _fitting(self, refusal: Refusal) -> Refusal:
        refusal.error = no_longer_than(self._max_result_bytes, refusal.error)
        return refusal

    def _assert_new(self, tool: str) -> None:
        if tool in self._reads or tool in self._writes:
            raise ValueError(f"{tool} has a handler already")


def _digest_of(args: Args) -> str:
    """The same for the same arguments, over every transport and in every SDK of Tether's: over their RFC 8785 form."""
    try:
        return f"sha256:{hashlib.sha256(rfc8785.dumps(args)).hexdigest()}"
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as fault:
        message = "The arguments hold what RFC 8785 has no form for, as Tether sends none; nothing was done."
        raise Refusal("malformed_call", message, field="args") from fault

"""A ledger in the vendor's own PostgreSQL: what remembers which writes were made.

A write is one transaction: begin, hold the key, look at its entry, the handler's change, record the result, commit. Whoever
comes with the same key waits, in whatever process, and then sees the entry. The deadline is checked by the database's clock
twice: before the handler runs, and in the statement that records. A process that dies anywhere before the commit leaves
nothing; after it, the change and its record. A refusal rolls this transaction back and is recorded in one of its own: by then
nobody may have come in between, or what they left is the answer.
"""

import importlib.resources
import math
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Generic, TypeVar

from tether.endpoint.entry import Cursor, Held, LedgerMisuseError, hold, look, one_row, try_to_hold
from tether.endpoint.judge import Asked, Write, judge_probe, judge_write, past_deadline
from tether.endpoint.outcome import Disposition, NotExecuted, Outcome, Refused, Result, Undecided
from tether.endpoint.refusal import Refusal, stored_of
from tether.endpoint.statements import DELETE_OLD, RECORD, RECORD_REFUSAL, WITHDRAW
from tether.endpoint.turns import Turns
from tether.records import ActionableError

Tx = TypeVar("Tx")

MOST_TRIES = 5
"""Once is all that can happen where the lock holds; more than a few times is a table that contradicts itself."""
OVERTAKEN = "the entry of a key was changed by somebody else again and again"

SCHEMA = importlib.resources.files(__package__).joinpath("ledger.sql").read_text("utf-8")
"""The table `tether_ledger`, for your own migrations: a text of two statements."""


def _cursor_of(tx: Any) -> Cursor:
    cursor: Cursor = tx.cursor()
    return cursor


class Ledger(Generic[Tx]):
    """Does each write at most one time.

    `transaction` opens a transaction, READ COMMITTED: what it returns is entered with `with`, gives what handlers work with,
    commits when the block ends well and rolls back when it raises. With psycopg 3 that is `lambda: psycopg.connect(url)` or
    the `connection` of a `psycopg_pool`. `cursor` gives a DB-API cursor in that transaction, where `tx.cursor()` does not:

        Ledger(engine.begin, cursor=lambda tx: tx.connection.cursor())                   # SQLAlchemy
        Ledger(transaction.atomic, cursor=lambda _: django.db.connection.cursor())       # Django

    Entries are kept for `keep_days` after they were last touched, at least 31: an action can wait for its next attempt for 30.
    """

    def __init__(
        self,
        transaction: Callable[[], AbstractContextManager[Tx]],
        *,
        cursor: Callable[[Tx], Cursor] = _cursor_of,
        keep_days: int = 90,
    ) -> None:
        if keep_days < 31:
            raise ValueError(f"keep_days must be 31 or more, and is {keep_days}")
        self._transaction = transaction
        self._cursor = cursor
        self._keep_days = keep_days
        self._turns = Turns()

    def once(self, write: Write, work: Callable[[Tx], str]) -> Outcome:
        """Does the work, which returns JSON text, unless it was done; answers a repeat with what came of it the first time.

        When the work raises, nothing of it stays: a Refusal is recorded, and the outcome; any other error goes on.
        """
        with self._turns.of(write.key):
            for _ in range(MOST_TRIES):
                outcome = self._try(write, work)
                if outcome is not None:
                    return outcome
        raise LedgerMisuseError(OVERTAKEN)

    def probe(self, asked: Asked) -> Disposition:
        """Answers from the ledger, at once; before it says "not executed" it makes sure of it."""
        for _ in range(MOST_TRIES):
            answer = self._ask(asked)
            if answer is not None:
                return answer
        raise LedgerMisuseError(OVERTAKEN)

    def migrate(self) -> None:
        """Makes the table if it is not there."""
        with self._committed() as (_, cursor):
            hold(cursor, "schema")
            for statement in re.sub(r"--.*", "", SCHEMA).split(";"):
                if statement.strip():
                    cursor.execute(statement, ())

    def prune(self) -> int:
        """Deletes what is older than `keep_days`, and says how many entries that were. Call it once a day."""
        total = 0
        while True:
            with self._committed() as (_, cursor):
                cursor.execute(DELETE_OLD, [str(self._keep_days)])
                row = cursor.fetchone()
            (gone,) = row.values() if hasattr(row, "values") else row
            if int(gone) == 0:
                return total
            total += int(gone)

    def _try(self, write: Write, work: Callable[[Tx], str]) -> Outcome | None:
        """None: another transaction took the key between two of ours."""
        try:
            with self._committed() as (tx, cursor):
                held = hold(cursor, write.key)
                entry, now = look(cursor, held)
                outcome = judge_write(entry, write, now < write.deadline.timestamp())
                if outcome is None:
                    text = work(tx)
                    _record(cursor, held, write, text)
                    outcome = Result(text)
            return outcome
        except _RollBack as end:
            return end.instead
        except Refusal as refusal:
            return self._refuse(write, refusal.error)

    def _refuse(self, write: Write, error: ActionableError) -> Outcome | None:
        refused = Refused(error)
        with self._committed() as (_, cursor):
            entry, _now = look(cursor, hold(cursor, write.key))
            judged = judge_write(entry, write, in_time=True)
            if judged is not None:
                # Withdrawn meanwhile: that nothing was done is as true of a refusal.
                return judged if isinstance(judged, Result | Refused) else refused
            left_behind = "false" if error.effect == "NONE" else "true"
            common = [write.key, write.tenant, write.tool, write.arguments_digest, str(write.attempt)]
            recorded = one_row(cursor, RECORD_REFUSAL, [*common, stored_of(error), left_behind])
        return refused if recorded else None

    def _ask(self, asked: Asked) -> Disposition | None:
        with self._committed() as (_, cursor):
            held = try_to_hold(cursor, asked.key)
            if held is None:
                return Undecided("in_progress")
            entry, now = look(cursor, held)
            answer = judge_probe(entry, asked, self._is_forgotten(asked.key, now))
            if answer is not None:
                return answer
            values = [asked.key, asked.tenant, asked.tool, str(asked.attempt)]
            withdrawn = one_row(cursor, WITHDRAW, values)
        return NotExecuted() if withdrawn else None

    def _is_forgotten(self, key: str, now: float) -> bool:
        # A day less, for two clocks that differ.
        return now - _staged_at(key) > (self._keep_days - 1) * 86_400

    @contextmanager
    def _committed(self) -> Iterator[tuple[Tx, Cursor]]:
        """A transaction of the vendor's. One that swallows an error has not done what the code after it rests on."""
        done = False
        with self._transaction() as tx:
            cursor = self._cursor(tx)
            try:
                yield tx, cursor
            finally:
                cursor.close()
            done = True
        if not done:
            raise LedgerMisuseError(
                "`transaction` swallowed an error of the block in it; it must roll back and raise it again"
            )


class _RollBack(Exception):
    """Ends a transaction that has to be rolled back, with what is answered then."""

    def __init__(self, instead: Outcome | None) -> None:
        super().__init__("the write is rolled back")
        self.instead = instead


def _record(cursor: Cursor, held: Held, write: Write, text: str) -> None:
    common = [write.key, write.tenant, write.tool, write.arguments_digest, str(write.attempt)]
    if one_row(cursor, RECORD, [*common, text, write.deadline.isoformat(), held.began, held.backend]):
        return
    _, now = look(cursor, held)
    raise _RollBack(None if now < write.deadline.timestamp() else past_deadline(write.deadline))


def _staged_at(key: str) -> float:
    """When the action of a key was staged, seconds since 1970: its id is a UUIDv7. Any other key is as good as new."""
    found = re.fullmatch(r"([0-9a-f]{12})7[0-9a-f]{3}[89ab][0-9a-f]{15}", key)
    return int(found[1], 16) / 1000 if found else math.inf

"""Holding a key, and reading its entry, with the proof that both happen in one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tether.endpoint.judge import Entry
from tether.endpoint.refusal import from_stored
from tether.endpoint.statements import HOLD, LOOK, TRY_HOLD


class Cursor(Protocol):
    """A cursor of a DB-API driver that takes `%s`: psycopg 3 and 2, pg8000, Django's."""

    @property
    def description(self) -> Any: ...
    def execute(self, operation: Any, parameters: Any, /) -> Any: ...
    def fetchone(self) -> Any: ...
    def close(self) -> Any: ...


class LedgerMisuseError(Exception):
    """The ledger was given something that is no transaction as it needs it. Nothing that was promised holds: mend it."""


@dataclass(frozen=True, slots=True)
class Held:
    """A key that this transaction holds, and which one that is."""

    key: str
    began: str
    backend: str


def hold(cursor: Cursor, key: str) -> Held:
    """Waits for whoever has it. Raises LedgerMisuseError for another isolation: it could not see what it waited for."""
    return _held_by(_row(cursor, HOLD, [key]), key)


def try_to_hold(cursor: Cursor, key: str) -> Held | None:
    """None when somebody else has it."""
    row = _row(cursor, TRY_HOLD, [key])
    held = _held_by(row, key)
    return held if row["held"] == "true" else None


def look(cursor: Cursor, held: Held) -> tuple[Entry | None, float]:
    """The entry of the key, and the time by the database's clock, in seconds since 1970."""
    row = _row(cursor, LOOK, [held.key])
    if (row["began"], row["backend"]) != (held.began, held.backend):
        raise LedgerMisuseError(
            "the statements of one write went to several transactions: `transaction` must open one (is the connection in "
            "autocommit?), `cursor` must be one in it, and a handler must not commit or roll back"
        )
    return _entry_of(row), float(row["now"])


def one_row(cursor: Cursor, statement: str, values: Sequence[str]) -> bool:
    """Runs a statement of which a row says that it was done."""
    cursor.execute(statement, values)
    return cursor.fetchone() is not None


def _held_by(row: Mapping[str, Any], key: str) -> Held:
    isolation = row["isolation"]
    if isolation != "read committed":
        raise LedgerMisuseError(
            f"the transaction is {isolation}, and must be read committed: what waits for another call could not see what "
            "that one did. Lock the rows that a handler decides by (`select … for update`)"
        )
    return Held(key, row["began"], row["backend"])


def _entry_of(row: Mapping[str, Any]) -> Entry | None:
    if row["state"] is None:
        return None
    refusal = row["refusal"]
    return Entry(
        tenant=row["tenant"],
        tool=row["tool"],
        arguments_digest=row["digest"],
        attempt=int(row["attempt"]),
        state=row["state"],
        result=row["result"],
        refusal=None if refusal is None else from_stored(refusal),
        left_behind=row["left_behind"] == "true",
    )


def _row(cursor: Cursor, statement: str, values: Sequence[str]) -> Mapping[str, Any]:
    cursor.execute(statement, values)
    row = cursor.fetchone()
    if isinstance(row, Mapping):
        return row
    return dict(zip((column[0] for column in cursor.description), row, strict=True))

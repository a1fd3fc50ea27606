"""How a handler says no, and the forms in which that is kept and sent."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal

from tether import json_text
from tether.records import ActionableError, Alternative, Effect

LONGEST_MESSAGE = 4000
"""Characters; Tether shows no more."""


class Refusal(Exception):
    """A handler's no, to be raised: `raise Refusal("ticket_not_open", "Ticket T-1 is paid; only an open one can be voided.")`.

    It is a normal answer, which the model reads and explains: name the rule that was broken, the offending value
    (`received`, of the argument `field`), the boundary (`limit`, `accepted`) and the moves that exist, best first, each a dict
    with `action` and, where they apply, `tool`, `arguments`, `description` and whatever else helps. Of a write, all that its
    transaction did is rolled back. `effect` is what was left behind all the same, outside of the transaction. `retryable`:
    whether the same call could succeed later.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        field: str = "",
        received: Any = None,
        limit: Any = None,
        accepted: Iterable[Any] = (),
        effect: Literal["none", "unknown", "applied"] = "none",
        retryable: bool = False,
        retry_after: timedelta | None = None,
        alternatives: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        super().__init__(message)
        if code == "" or message == "":
            raise TypeError("a refusal needs a code and a message: without them it would be taken for a success")
        effects: dict[str, Effect] = {"none": "NONE", "unknown": "UNKNOWN", "applied": "APPLIED"}
        self.error: ActionableError = ActionableError(
            code=code,
            message=message if len(message) <= LONGEST_MESSAGE else f"{message[: LONGEST_MESSAGE - 1]}…",
            field=field,
            received_json=_if_any(received),
            limit_json=_if_any(limit),
            accepted_json=tuple(json_text.write(each) for each in accepted),
            effect=effects[effect],
            retryable=retryable,
            retry_after=retry_after,
            alternatives=tuple(_alternative(each) for each in alternatives),
        )


def no_longer_than(limit: int, error: ActionableError) -> ActionableError:
    """One that is longer, in bytes, keeps its code, message and field: over Tether's cap it would leave a doubt."""
    if len(body_of(error).encode()) <= limit:
        return error
    return replace(error, received_json="", limit_json="", accepted_json=(), alternatives=())


def body_of(error: ActionableError) -> str:
    """The refusal as the JSON that is answered."""
    return _object(
        ("error", json_text.write(error.code)),
        ("message", json_text.write(error.message)),
        ("field", _if_said(error.field)),
        ("received", error.received_json),
        ("limit", error.limit_json),
        ("accepted", _list(error.accepted_json)),
        ("effect", json_text.write(error.effect.lower())),
        ("retryable", json_text.write(error.retryable)),
        ("retry_after_seconds", _seconds(error.retry_after)),
        ("alternatives", _list(_move_of(each) for each in error.alternatives)),
    )


def stored_of(error: ActionableError) -> str:
    """The refusal as the ledger keeps it, in the form that every SDK of Tether's reads: values as JSON texts."""
    return json_text.write(
        {
            "code": error.code,
            "message": error.message,
            **_given(field=error.field, receivedJson=error.received_json, limitJson=error.limit_json),
            **_given(acceptedJson=list(error.accepted_json)),
            "effect": error.effect.lower(),
            "retryable": error.retryable,
            **_given(retryAfterSeconds=error.retry_after and error.retry_after.total_seconds()),
            **_given(alternatives=[_stored_move(each) for each in error.alternatives]),
        }
    )


def from_stored(text: str) -> ActionableError:
    stored = json_text.read(text)
    effects: dict[str, Effect] = {"none": "NONE", "applied": "APPLIED"}
    after = stored.get("retryAfterSeconds")
    return ActionableError(
        code=stored["code"],
        message=stored["message"],
        field=stored.get("field", ""),
        received_json=stored.get("receivedJson", ""),
        limit_json=stored.get("limitJson", ""),
        accepted_json=tuple(stored.get("acceptedJson", ())),
        effect=effects.get(stored["effect"], "UNKNOWN"),
        retryable=stored["retryable"],
        retry_after=None if after is None else timedelta(seconds=after),
        alternatives=tuple(
            Alternative(
                action=each["action"],
                tool=each.get("tool", ""),
                arguments_json=each.get("argumentsJson", ""),
                description=each.get("description", ""),
                extra_json=each.get("extraJson", ""),
            )
            for each in stored.get("alternatives", ())
        ),
    )


def _alternative(move: Mapping[str, Any]) -> Alternative:
    known = ("action", "tool", "arguments", "description")
    extra = {name: value for name, value in move.items() if name not in known}
    return Alternative(
        action=move["action"],
        tool=move.get("tool", ""),
        arguments_json=_if_any(move.get("arguments")),
        description=move.get("description", ""),
        extra_json=json_text.write(extra) if extra else "",
    )


def _move_of(move: Alternative) -> str:
    own = _object(
        ("action", json_text.write(move.action)),
        ("tool", _if_said(move.tool)),
        ("arguments", move.arguments_json),
        ("description", _if_said(move.description)),
    )
    extra = move.extra_json.strip()[1:-1].strip()
    return f"{own[:-1]},{extra}}}" if extra else own


def _stored_move(move: Alternative) -> dict[str, str]:
    return {
        "action": move.action,
        **_given(tool=move.tool, argumentsJson=move.arguments_json),
        **_given(description=move.description, extraJson=move.extra_json),
    }


def _given(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value or value == 0}


def _object(*members: tuple[str, str]) -> str:
    return "{" + ",".join(f'"{name}":{value}' for name, value in members if value != "") + "}"


def _list(values: Iterable[str]) -> str:
    text = ",".join(values)
    return f"[{text}]" if text else ""


def _if_any(value: Any) -> str:
    return "" if value is None else json_text.write(value)


def _if_said(text: str) -> str:
    return json_text.write(text) if text else ""


def _seconds(span: timedelta | None) -> str:
    return "" if span is None else json_text.write(span.total_seconds())

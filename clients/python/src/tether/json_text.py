"""JSON text and Python values: what travels is always the text, so that no number changes on the way."""

import json
from typing import Any


def write(value: object) -> str:
    """JSON text of a value. Integers are exact, floats the shortest text that reads back the same.

    Raises TypeError or ValueError for what JSON has no form for (a datetime, NaN): decide yourself how it is to be sent.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def read(text: str) -> Any:
    """The value of JSON text; None when the text is empty, so that there is no value. Integers of any size are exact."""
    return None if text == "" else json.loads(text)

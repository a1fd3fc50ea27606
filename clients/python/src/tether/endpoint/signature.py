"""Checks Tether's signature: Standard Webhooks 1.0, symmetric, over the bytes of the body as they came.

By hmac from the standard library and not by the package `standardwebhooks`, which takes text alone: a protobuf message is
none. That both agree is tested.
"""

import base64
import binascii
import hashlib
import hmac
import re
import time
from collections.abc import Callable, Sequence
from typing import Protocol

TOLERANCE = 300
"""Seconds, in either direction, that a call's timestamp may be away from this clock."""


class Headers(Protocol):
    """Headers or metadata, by their lower-case names."""

    def get(self, name: str, default: str, /) -> str: ...


class UnsignedError(Exception):
    """A call that is not known to come from Tether. Its message says why, and names no secret."""


def signature_check(
    secrets: str | Sequence[str], now: Callable[[], float] = time.time
) -> Callable[[bytes, Headers], None]:
    """What raises UnsignedError unless one of the secrets signed these bytes within the last five minutes.

    `secrets` is one `whsec_…`, or two while one takes the place of the other, as a list or as one text with spaces between.
    Raises ValueError when one is not of that form; it names no secret.
    """
    texts = secrets.split() if isinstance(secrets, str) else list(secrets)
    if not texts:
        raise ValueError("signing_secrets is empty: give one whsec_…, or False to answer anybody")
    keys = [_key_of(text, place) for place, text in enumerate(texts, 1)]

    def check(body: bytes, headers: Headers) -> None:
        identity, timestamp, signatures = (headers.get(f"webhook-{name}", "") for name in _names)
        if not (identity and timestamp and signatures):
            raise UnsignedError("The call is not signed: it takes webhook-id, webhook-timestamp and webhook-signature.")
        if re.fullmatch(r"[0-9]{1,12}", timestamp) is None:
            raise UnsignedError("The header webhook-timestamp is no number of seconds since 1970.")
        if abs(now() - int(timestamp)) > TOLERANCE:
            raise UnsignedError(f"The header webhook-timestamp is more than {TOLERANCE} s away from this clock.")
        signed = f"{identity}.{timestamp}.".encode() + body
        given = [each.encode() for each in signatures.split(" ")]
        for key in keys:
            wanted = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
            if any([hmac.compare_digest(each, wanted) for each in given]):
                return
        raise UnsignedError(
            "The header webhook-signature matches no secret of this endpoint: it was made with another one, "
            "or for another body, webhook-id or webhook-timestamp."
        )

    return check


_names = ("id", "timestamp", "signature")


def _key_of(secret: str, place: int) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True) if secret.startswith("whsec_") else b""
    except binascii.Error:
        key = b""
    if not 24 <= len(key) <= 64:
        raise ValueError(f"signing_secrets: secret {place} must be whsec_ and the base64 of 24 to 64 bytes")
    return key

"""Calls as Tether sends them over plain JSON, for tests that have no server between."""

import base64
import hashlib
import hmac
import http.client
import json
import secrets
import time
import uuid
from datetime import datetime, timedelta, timezone
from typing import Any

SECRET = "whsec_" + base64.b64encode(b"24 to 64 bytes that only tests know").decode()


def key() -> str:
    """An idempotency key: the id of an action that was staged now, a UUIDv7."""
    now = int(time.time() * 1000)
    return f"{now:012x}7{secrets.token_hex(2)[1:]}8{secrets.token_hex(8)[1:]}"


def write(request_id: str, args: dict[str, Any], *, tool: str = "count", **over: Any) -> dict[str, Any]:
    return {
        "request_id": request_id,
        "tool": tool,
        "args": args,
        "tenant": {"id": "acme", "scope": "", "user_id": ""},
        "is_write": True,
        "mode": "execute",
        "action_id": str(uuid.UUID(request_id)),
        "attempt": 1,
        "deadline": in_seconds(20),
        **over,
    }


def probe(request_id: str, *, tool: str = "count", attempt: int = 1) -> dict[str, Any]:
    call = write(request_id, {}, tool=tool, attempt=attempt)
    return {**{name: call[name] for name in call if name not in ("args", "deadline")}, "mode": "probe"}


def in_seconds(seconds: float) -> str:
    return (
        (datetime.now(timezone.utc) + timedelta(seconds=seconds))
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z")
    )


def post(port: int, call: dict[str, Any] | bytes, headers: dict[str, str] | None = None) -> tuple[int, str]:
    """Status and text of the answer."""
    body = call if isinstance(call, bytes) else json.dumps(call).encode()
    known = {} if isinstance(call, bytes) else {"X-Tether-Idempotency-Key": call["request_id"]}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("POST", "/tools", body, {"Content-Type": "application/json", **known, **(headers or {})})
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def signed(body: bytes, *, secret: str = SECRET, at: float | None = None) -> dict[str, str]:
    identity, timestamp = "call-1", str(int(time.time() if at is None else at))
    mac = hmac.digest(
        base64.b64decode(secret.removeprefix("whsec_")), f"{identity}.{timestamp}.".encode() + body, hashlib.sha256
    )
    signature = f"v1,{base64.b64encode(mac).decode()}"
    return {"webhook-id": identity, "webhook-timestamp": timestamp, "webhook-signature": signature}

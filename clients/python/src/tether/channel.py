"""How a connection is set up: to whom in plain text, and without any retries of the library's own."""

import ipaddress
from collections.abc import Callable, Sequence
from typing import Any

import grpc

Key = str | Callable[[], str]
"""An API key or token, or what is asked for one before each call."""
Options = Sequence[tuple[str, Any]]

_options: Options = (
    # What may be repeated is decided in `repeating`, and nowhere else.
    ("grpc.enable_retries", 0),
    ("grpc.service_config_disable_resolution", 1),
    # A peer that is gone without a word is noticed: a confirm may take a minute in silence.
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 1_000),
    ("grpc.max_reconnect_backoff_ms", 5_000),
)


def options_with(options: Options) -> list[tuple[str, Any]]:
    """Ours, then the caller's own: of two with one name the later counts."""
    return [*_options, *options]


def credentials_for(address: str, tls: grpc.ChannelCredentials | bool | None) -> grpc.ChannelCredentials | None:
    """None: plain text. Unless `tls` says otherwise that is so for this machine alone, since the key is sent along."""
    if isinstance(tls, grpc.ChannelCredentials):
        return tls
    encrypted = not on_this_machine(address) if tls is None else tls
    return grpc.ssl_channel_credentials() if encrypted else None


def on_this_machine(address: str) -> bool:
    if address.startswith("unix:"):
        return True
    host = address.rpartition(":")[0].strip("[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def metadata_with(key: Key) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {key() if callable(key) else key}"),)

"""Serves an endpoint as plain JSON over HTTP: a WSGI application, and a server of the standard library around it."""

import signal
import socketserver
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from tether import json_text
from tether.endpoint.call import IDEMPOTENCY_KEY, Call, MalformedCallError, read_json
from tether.endpoint.endpoint import Endpoint, log
from tether.endpoint.outcome import (
    Disposition,
    Executed,
    Failed,
    Late,
    NotExecuted,
    Outcome,
    Refused,
    Result,
    Undecided,
)
from tether.endpoint.refusal import body_of
from tether.endpoint.signature import UnsignedError

StartResponse = Callable[[str, list[tuple[str, str]]], Any]
Wsgi = Callable[[Mapping[str, Any], StartResponse], Iterable[bytes]]
Reply = tuple[str, str]
"""Status and JSON text."""


def wsgi(endpoint: Endpoint[Any]) -> Wsgi:
    """The application: answers a POST on whatever path it is mounted, for gunicorn, waitress, Flask, Django and others."""

    def application(environ: Mapping[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        status, body = _reply(endpoint, environ)
        encoded = body.encode()
        headers = [("Content-Type", "application/json; charset=utf-8"), ("Content-Length", str(len(encoded)))]
        start_response(status, headers)
        return [encoded]

    return application


def server(endpoint: Endpoint[Any], host: str = "127.0.0.1", port: int = 0) -> WSGIServer:
    """A server of the standard library, a thread for each call; `server_port` says where it listens."""
    made = _Server((host, port), _Quiet)
    made.set_app(wsgi(endpoint))
    return made


def serve(endpoint: Endpoint[Any], host: str = "127.0.0.1", port: int = 0) -> None:
    """Serves until SIGTERM or SIGINT, and ends once what is under way is answered. Prints where it listens."""
    with server(endpoint, host, port) as made:
        for each in (signal.SIGTERM, signal.SIGINT):
            # `shutdown` waits for the loop, which this handler interrupts.
            signal.signal(each, lambda *_: threading.Thread(target=made.shutdown).start())
        print(f"the endpoint answers on http://{host}:{made.server_port}", flush=True)
        made.serve_forever()


class _Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = False  # so that closing waits for them
    request_queue_size = 128

    def server_bind(self) -> None:
        # The library's own asks the network for a name of this address, which may take long where there is none.
        socketserver.TCPServer.server_bind(self)
        host, self.server_port = self.server_address[:2]
        self.server_name = str(host)
        self.setup_environ()


class _Quiet(WSGIRequestHandler):
    timeout = 60  # seconds that a peer may be silent

    def log_message(self, format: str, *args: Any) -> None:
        log.debug(format, *args)


def _reply(endpoint: Endpoint[Any], environ: Mapping[str, Any]) -> Reply:
    if environ["REQUEST_METHOD"] != "POST":
        return _fault("405 Method Not Allowed", "method_not_allowed", "A call is a POST of JSON.")
    length = environ.get("CONTENT_LENGTH") or ""
    if not (length.isascii() and length.isdigit()):
        return _fault("411 Length Required", "length_required", "A call must say its Content-Length.")
    if int(length) > endpoint.max_request_bytes:
        limit = endpoint.max_request_bytes
        return _fault("413 Content Too Large", "request_too_large", f"A call has at most {limit} bytes.")
    body = environ["wsgi.input"].read(int(length))
    if len(body) < int(length):
        return _fault("400 Bad Request", "malformed_call", "The body ended before its Content-Length.")
    try:
        endpoint.check_signature(body, _Headers(environ))
        call = read_json(body, environ.get(_variable(IDEMPOTENCY_KEY)))
    except UnsignedError as unsigned:
        log.warning("a call was turned away: %s", unsigned)
        return _fault("401 Unauthorized", "unauthenticated", str(unsigned))
    except MalformedCallError as malformed:
        return _fault("400 Bad Request", "malformed_call", str(malformed), malformed.field)
    return _told(endpoint.invoke(call)) if isinstance(call, Call) else _disposed(endpoint.probe(call))


def _told(outcome: Outcome | Failed) -> Reply:
    match outcome:
        case Result(json=text):
            return "200 OK", text
        case Refused(error=error):
            return "200 OK", body_of(error)
        case Late(code=code, message=message):
            # Taken as: nothing was done, and it may be confirmed again.
            return _fault("425 Too Early", code, message)
        case Failed():
            return _failed()


def _disposed(disposition: Disposition | Failed) -> Reply:
    match disposition:
        case Executed(json=text):
            return "200 OK", f'{{"disposition":"executed","result":{text}}}'
        case NotExecuted(refusal=refusal):
            why = "" if refusal is None else f',"refusal":{body_of(refusal)}'
            return "200 OK", f'{{"disposition":"not_executed"{why}}}'
        case Undecided(disposition=word):
            return "200 OK", json_text.write({"disposition": word})
        case Failed():
            return _failed()


def _failed() -> Reply:
    return _fault(
        "500 Internal Server Error", "internal", "The call failed, and may have been carried out before it did."
    )


def _fault(status: str, error: str, message: str, field: str = "") -> Reply:
    return status, json_text.write({"error": error, "message": message, **({"field": field} if field else {})})


class _Headers:
    def __init__(self, environ: Mapping[str, Any]) -> None:
        self._environ = environ

    def get(self, name: str, default: str, /) -> str:
        return str(self._environ.get(_variable(name), default))


def _variable(header: str) -> str:
    return f"HTTP_{header.upper().replace('-', '_')}"

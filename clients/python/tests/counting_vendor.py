"""A vendor in a process of its own, to be killed: one write, which counts itself in the table `counts`, or refuses.

`python counting_vendor.py DATABASE_URL`. Its first line says where it answers. It stops for good, and says so, where
STOP_AT tells it to: `before-commit`, inside of the transaction, or `before-answer`, when that is committed.
"""

import os
import signal
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import psycopg

import tether.endpoint.http as http
from tether.endpoint import Call, Endpoint, Ledger, Refusal, server

url = sys.argv[1]
stop_at = os.environ.get("STOP_AT", "")
endpoint = Endpoint(signing_secrets=False, ledger=Ledger(lambda: psycopg.connect(url)))


def stop(place: str) -> None:
    if stop_at == place:
        print(f"stopped {place}", flush=True)
        signal.pause()


@endpoint.write("count")
def count(args: dict[str, Any], call: Call, tx: psycopg.Connection) -> dict[str, Any]:
    if "refuse" in args:
        raise Refusal(**args["refuse"])
    tx.execute("insert into counts (name, process) values (%s, %s)", [args["name"], os.getpid()])
    stop("before-commit")
    return {"name": args["name"], "process": os.getpid(), "by": "Python"}


answer = http.wsgi(endpoint)


def application(environ: Mapping[str, Any], start_response: http.StartResponse) -> Iterable[bytes]:
    answered = answer(environ, start_response)
    stop("before-answer")
    return answered


with server(endpoint) as made:
    made.set_app(application)
    print(f"http://127.0.0.1:{made.server_port}", flush=True)
    made.serve_forever()

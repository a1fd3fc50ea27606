"""The real things that the tests run against: PostgreSQL, server processes, and a vendor that does what a test says."""

import contextlib
import json
import os
import re
import secrets
import subprocess
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from relay import Relay

from tether import Action, Client
from tether.endpoint import Call, Endpoint, Ledger, Refusal, server

ROOT = Path(__file__).resolve().parents[3]
# Given by test/clients/python, which starts pytest.
NODE = os.environ["PYTEST_NODE"]
DATABASE_SERVER = os.environ["PYTEST_DATABASE_SERVER"]
TEMPLATE = os.environ["PYTEST_DATABASE_TEMPLATE"]
"""A database with Tether's schema in it."""
CERTIFICATES = Path(os.environ["PYTEST_CERTIFICATES"])
"""`authority.pem`, and what it certified for `localhost`: `server.pem` and `server.key`."""

SIGNING_SECRET = "whsec_" + "c2lnbmVkIGJ5IHRlc3RzIGFsb25lLCAyNCsgYnl0ZXM="

INPUT = (
    "{ type: object, required: [ticket_id], properties: "
    "{ ticket_id: { type: string }, reason: { type: string }, amount: { type: number } }, additionalProperties: false }"
)


def catalog(url: str, transport: str = "json") -> str:
    return f"""
version: 1
endpoints:
  pos:
    transport: {transport}
    url: "{url}"
    probe: true
    signing_secrets: ["${{env:POS_SIGNING}}"]
  mute:
    transport: {transport}
    url: "{url}"
    signing_secrets: ["${{env:POS_SIGNING}}"]
tools:
  get_ticket: {{ endpoint: pos, description: One ticket by its id., input: {INPUT} }}
  void_ticket:
    {{ endpoint: pos, is_write: true, description: Void a ticket., summary: "Void ticket {{ticket_id}}", input: {INPUT} }}
  refund:
    {{ endpoint: pos, is_write: true, description: Pay a ticket back., risk: high, reversible: external,
      value: {{ pointer: /amount, threshold: 50, unit: USD }}, input: {INPUT} }}
  archive_ticket: {{ endpoint: mute, is_write: true, description: Archive a ticket., input: {INPUT} }}
  close_ticket:
    endpoint: pos
    is_write: true
    description: Close a ticket.
    input: {INPUT}
    precondition: {{ read: get_ticket, arguments: {{ ticket_id: /ticket_id }}, expect: 'result.status == "open"' }}
"""


@contextlib.contextmanager
def database(template: str = "template0") -> Iterator[str]:
    """A database of its own, for as long as it is needed; gives its URL."""
    name = f"test_python_{secrets.token_hex(8)}"
    create = f"create database {name} template {template} strategy file_copy"
    with psycopg.connect(DATABASE_SERVER, autocommit=True) as admin:
        while True:
            with contextlib.suppress(psycopg.errors.ObjectInUse):  # somebody else is cloning it
                admin.execute(create)
                break
            time.sleep(0.02)
    try:
        yield re.sub(r"/[^/?]*(\?|$)", rf"/{name}\1", DATABASE_SERVER)
    finally:
        with psycopg.connect(DATABASE_SERVER, autocommit=True) as admin:
            admin.execute(f"drop database {name} with (force)")


@dataclass
class Vendor:
    """Tickets in memory, answered by the package's own endpoint: each is open until it is voided.

    `fails`, `refuses` and `holds` say which writes do otherwise: a 500, a refusal, one that waits at its gate.
    """

    ledger: Ledger[psycopg.Connection]
    calls: list[Call] = field(default_factory=list)
    """Every call of a handler, in the order of arrival."""
    results: dict[str, Any] = field(default_factory=dict)
    """What reads of a ticket say instead."""
    fails: set[str] = field(default_factory=set)
    refuses: dict[str, Refusal] = field(default_factory=dict)
    holds: dict[str, threading.Event] = field(default_factory=lambda: defaultdict(threading.Event))
    held: set[str] = field(default_factory=set)
    voided: set[str] = field(default_factory=set)
    arrived: threading.Condition = field(default_factory=threading.Condition)

    def writes_of(self, ticket: str) -> list[Call]:
        return [call for call in self.calls if call.mode == "execute" and call.args["ticket_id"] == ticket]

    def wait_for(self, ticket: str, count: int = 1) -> None:
        """Until so many writes about the ticket have come in."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.writes_of(ticket)) >= count, 30), f"no write about {ticket}"

    def hold(self, ticket: str) -> Callable[[], None]:
        """Lets the next writes about the ticket wait; gives what lets them go."""
        self.held.add(ticket)
        return self.holds[ticket].set

    def endpoint(self) -> Endpoint[psycopg.Connection]:
        endpoint = Endpoint(signing_secrets=SIGNING_SECRET, ledger=self.ledger)

        @endpoint.read("get_ticket")
        def get_ticket(args: dict[str, Any], call: Call) -> Any:
            self._note(call)
            ticket = args["ticket_id"]
            return self.results.get(ticket, {"status": "void" if ticket in self.voided else "open"})

        def write(args: dict[str, Any], call: Call, tx: psycopg.Connection) -> Any:
            self._note(call)
            ticket = args["ticket_id"]
            if ticket in self.held:
                assert self.holds[ticket].wait(30), "nobody let it go"
            if ticket in self.fails:
                raise RuntimeError("this one fails")
            if ticket in self.refuses:
                raise self.refuses[ticket]
            self.voided.add(ticket)
            return {"ticket_id": ticket, "status": "void"}

        for tool in ("void_ticket", "refund", "close_ticket", "archive_ticket"):
            endpoint.write(tool)(write)
        return endpoint

    def _note(self, call: Call) -> None:
        with self.arrived:
            self.calls.append(call)
            self.arrived.notify_all()


@contextlib.contextmanager
def serving(endpoint: Endpoint[Any]) -> Iterator[int]:
    """The endpoint over HTTP; gives its port."""
    with server(endpoint) as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield made.server_port
        finally:
            made.shutdown()
            thread.join()


@dataclass(frozen=True)
class Server:
    port: int
    keys: dict[str, str]

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def client(self, role: str, **options: Any) -> Client:
        return Client(self.address, key=self.keys[role], **options)


@contextlib.contextmanager
def running(catalog_text: str, **over: str) -> Iterator[Server]:
    """A server process on a database of its own; `over` are settings beside the usual ones."""
    with database(TEMPLATE) as url, tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "tether.yaml")
        file.write_text(catalog_text)
        settings = {
            "DATABASE_URL": url,
            "TETHER_DATA_DIR": directory,
            "TETHER_CATALOG": str(file),
            "TETHER_HTTP_PORT": "0",
            "TETHER_GRPC_PORT": "0",
            "TETHER_LOG_LEVEL": "warn",
            "POS_SIGNING": SIGNING_SECRET,
            "PATH": os.environ["PATH"],
            **over,
        }
        process = subprocess.Popen(
            [NODE, str(ROOT / "server/main.ts")], env=settings, stdout=subprocess.PIPE, text=True
        )
        try:
            assert process.stdout is not None
            ready = next(
                (found for line in process.stdout if (found := re.search(r"gRPC .*:(\d+)$", line.strip()))), None
            )
            assert ready is not None, "the server did not start; its reason stands above"
            yield Server(int(ready[1]), json.loads(Path(directory, "keys.json").read_text()))
        finally:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


def in_doubt(action: Action, approver: Client, vendor: Vendor, vendor_relay: Relay) -> Action:
    """What becomes of a confirm whose write was made, and whose answer was cut off on its way from the vendor."""
    ticket = action.arguments["ticket_id"]
    let_go = vendor.hold(ticket)
    with ThreadPoolExecutor() as threads:
        confirming = threads.submit(approver.confirm, action)
        vendor.wait_for(ticket)
        vendor_relay.swallow()
        let_go()
        vendor_relay.wait_until_swallowed()
        vendor_relay.cut()
        confirmed = confirming.result()
    assert confirmed.status == "INDETERMINATE"
    return confirmed.action


def seen(client: Client, action: Action, holds: Callable[[Action], bool]) -> Action:
    """Waits until the action is recorded so."""
    updates = client.watch(plan_id=action.plan_id)
    return next(each.action for each in updates if each.action and each.action.id == action.id and holds(each.action))

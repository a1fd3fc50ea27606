from collections.abc import Iterator

import psycopg
import pytest
from place import Server, Vendor, catalog, database, running, serving
from relay import Relay

from tether import Client
from tether.endpoint import Ledger


@pytest.fixture(scope="session")
def vendor_database() -> Iterator[str]:
    with database() as url:
        yield url


@pytest.fixture(scope="session")
def ledger(vendor_database: str) -> Ledger[psycopg.Connection]:
    made = Ledger(lambda: psycopg.connect(vendor_database))
    made.migrate()
    return made


@pytest.fixture(scope="session")
def vendor(ledger: Ledger[psycopg.Connection]) -> Vendor:
    return Vendor(ledger)


@pytest.fixture(scope="session")
def vendor_relay(vendor: Vendor) -> Iterator[Relay]:
    """What the server reaches the vendor through."""
    with serving(vendor.endpoint()) as port:
        relay = Relay(port)
        yield relay
        relay.close()


@pytest.fixture(scope="session")
def server(vendor_relay: Relay) -> Iterator[Server]:
    with running(catalog(f"http://{vendor_relay.address}/tools")) as made:
        yield made


@pytest.fixture
def agent(server: Server) -> Iterator[Client]:
    with server.client("agent") as client:
        yield client


@pytest.fixture
def approver(server: Server) -> Iterator[Client]:
    with server.client("approver") as client:
        yield client


@pytest.fixture
def relay(server: Server) -> Iterator[Relay]:
    """What a test's client reaches the server through."""
    made = Relay(server.port)
    yield made
    made.close()


@pytest.fixture
def ticket(request: pytest.FixtureRequest) -> str:
    """A ticket of the test's own."""
    return f"T-{abs(hash(request.node.nodeid))}"

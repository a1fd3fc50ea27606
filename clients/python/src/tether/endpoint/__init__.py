"""For vendors: answers Tether's calls, and does each confirmed write at most one time.

`Endpoint` takes a handler for each tool; `serve` and `wsgi` answer plain JSON with it, `add_to` gRPC.
"""

from tether.endpoint.call import Call, Tenant
from tether.endpoint.endpoint import Endpoint
from tether.endpoint.entry import LedgerMisuseError
from tether.endpoint.grpc_service import add_to
from tether.endpoint.http import serve, server, wsgi
from tether.endpoint.ledger import SCHEMA, Ledger
from tether.endpoint.refusal import Refusal

__all__ = [
    "SCHEMA",
    "Call",
    "Endpoint",
    "Ledger",
    "LedgerMisuseError",
    "Refusal",
    "Tenant",
    "add_to",
    "serve",
    "server",
    "wsgi",
]

"""The endpoint of examples/ over gRPC: `python grpc_vendor.py`, with the same environment. Says where it answers."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc

from tether.endpoint import add_to

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
from endpoint import endpoint, ledger

ledger.migrate()
server = grpc.server(ThreadPoolExecutor(16))
add_to(server, endpoint)
port = server.add_insecure_port(f"127.0.0.1:{os.environ['PORT']}")
server.start()
print(f"the endpoint answers on http://127.0.0.1:{port}", flush=True)
server.wait_for_termination()

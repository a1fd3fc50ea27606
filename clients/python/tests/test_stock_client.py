"""Stock Python clients that know nothing of the package work against a server."""

import json
import os
import subprocess
import sys
from pathlib import Path

from place import Server


def test_grpcio_with_generated_code_alone_finds_its_way(server: Server, tmp_path: Path) -> None:
    generate = Path(__file__).parents[1] / "generate.py"
    subprocess.run([sys.executable, str(generate), str(tmp_path)], check=True)
    (tmp_path / "tether" / "__init__.py").touch()  # so that it comes before the package that is installed here
    program = [sys.executable, str(Path(__file__).with_name("stock_client.py")), server.address, server.keys["agent"]]
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run(program, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert {"grpc.health.v1.Health", "tether.v1.ActionService", "tether.v1.ToolService"} <= set(found.pop("services"))
    assert {"action_id", "expected_attempts"} <= set(found.pop("confirm"))
    assert {'"void_ticket"', '"get_ticket"'} & set(found["error"].pop("accepted"))
    assert found["error"].pop("moves") != []
    assert found == {
        "package": False,
        "serving": True,
        "state": "ACTION_STATE_PENDING",
        "arguments": '{"ticket_id":"T-4417"}',
        "status": ["NOT_FOUND", True, [True]],
        "error": {
            "code": "TOOL_NOT_FOUND",
            "field": "tool",
            "received": '"void_tickets"',
            "effect": "EFFECT_NONE",
            "retryable": False,
        },
    }

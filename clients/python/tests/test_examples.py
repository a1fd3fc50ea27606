"""The programs in examples/ do what they say."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
from envelope import key, post, write
from place import SIGNING_SECRET, catalog, database, running

from tether.endpoint import SCHEMA

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_the_endpoint_answers_tether_and_nobody_else() -> None:
    with database() as url:
        settings = {**os.environ, "DATABASE_URL": url, "SIGNING_SECRET": SIGNING_SECRET, "PORT": "0"}
        process = subprocess.Popen(
            [sys.executable, str(EXAMPLES / "endpoint.py")], env=settings, stdout=subprocess.PIPE, text=True
        )
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline().strip().rpartition(":")[2])
            assert post(port, write(key(), {"ticket_id": "T-1"}, tool="void_ticket"))[0] == 401
            with running(catalog(f"http://127.0.0.1:{port}/")) as server:
                with server.client("agent") as agent, server.client("approver") as approver:
                    proposed = [
                        agent.stage("void_ticket", {"ticket_id": name}).action for name in ("T-1", "T-3", "T-9")
                    ]
                    confirmed = [approver.confirm(action) for action in proposed]
                    assert [each.status for each in confirmed] == ["EXECUTED", "REFUSED", "REFUSED"]
                    codes = [each.error and each.error.code for each in confirmed]
                    assert codes == [None, "ticket_not_open", "ticket_not_open"]
                    assert agent.call("get_ticket", {"ticket_id": "T-1"}).result == {
                        "ticket_id": "T-1",
                        "status": "void",
                    }
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
        finally:
            process.kill()
            process.communicate()


def test_the_schema_is_for_migrations_of_ones_own() -> None:
    with database() as url, psycopg.connect(url) as db:
        db.execute(SCHEMA)
        assert db.execute("select count(*) from tether_ledger").fetchone() == (0,)


def test_the_endpoint_is_a_program_of_forty_lines() -> None:
    text = (EXAMPLES / "endpoint.py").read_text()
    code = [line for line in text.split('"""')[2].splitlines() if line.strip()]
    assert len(code) <= 40, json.dumps(len(code))

"""A write is made at most one time for each key, whatever comes twice, late or after a crash."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import psycopg.rows
import pytest
from envelope import in_seconds, key, post, probe, write
from place import database, serving

from tether.endpoint import Call, Endpoint, Ledger, Refusal


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with database() as made:
        ledger(made).migrate()
        ledger(made).migrate()  # again is harmless
        with psycopg.connect(made) as db:
            db.execute("create table counts (name text, process integer)")
        yield made


def ledger(url: str) -> Ledger[psycopg.Connection]:
    return Ledger(lambda: psycopg.connect(url))


class Shop:
    """An endpoint of one write, `count`, that waits at a gate if there is one."""

    def __init__(self, url: str, made: Ledger[Any] | None = None) -> None:
        self.url = url
        self.ran = 0
        self.entered = threading.Event()
        self.gate: threading.Event | None = None
        self.refusal: Refusal | None = None
        self.endpoint = Endpoint(signing_secrets=False, ledger=made or ledger(url))
        self.endpoint.write("count")(self.count)
        self.endpoint.write("recount")(self.count)

    def count(self, args: dict[str, Any], call: Call, tx: Any) -> dict[str, Any]:
        self.ran += 1
        self.entered.set()
        cursor = tx.cursor()
        cursor.execute("insert into counts (name, process) values (%s, %s)", [args["name"], os.getpid()])
        if self.gate is not None:
            assert self.gate.wait(30)
        if self.refusal is not None:
            raise self.refusal
        return {"name": args["name"], "ran": self.ran, "big": 2**70}


@pytest.fixture
def shop(url: str) -> Shop:
    return Shop(url)


@pytest.fixture
def port(shop: Shop) -> Iterator[int]:
    with serving(shop.endpoint) as made:
        yield made


def counted(url: str, name: str) -> int:
    with psycopg.connect(url) as db:
        row = db.execute("select count(*) from counts where name = %s", [name]).fetchone()
    assert row is not None
    return int(row[0])


def test_duplicates_at_once_get_one_result_byte_for_byte(url: str, shop: Shop, port: int) -> None:
    with ThreadPoolExecutor(16) as threads:
        keys = [key() for _ in range(20)]
        answers = list(threads.map(lambda n: post(port, write(keys[n % 20], {"name": keys[n % 20]})), range(200)))
    assert {status for status, _ in answers} == {200}
    for n, each in enumerate(keys):
        assert len({text for _, text in answers[n::20]}) == 1
        assert counted(url, each) == 1
    assert shop.ran == 20


def test_processes_that_get_the_same_key_at_once_wait_for_each_other(url: str) -> None:
    one = key()
    with vendor(url) as first, vendor(url) as second, ThreadPoolExecutor(8) as threads:
        answers = set(threads.map(lambda n: post((first, second)[n % 2].port, write(one, {"name": one})), range(8)))
    assert len(answers) == 1
    assert counted(url, one) == 1


def test_a_key_with_other_arguments_another_tool_or_tenant_is_refused(url: str, port: int) -> None:
    one = key()
    assert post(port, write(one, {"name": one, "n": 1}))[0] == 200
    others = [
        write(one, {"name": one, "n": True}),
        write(one, {"name": one}),
        write(one, {"name": one, "n": 1}, tool="recount"),
        write(one, {"name": one, "n": 1}, tenant={"id": "other"}),
    ]
    for other in others:
        status, text = post(port, other)
        assert (status, '"error":"idempotency_key_reused"' in text) == (200, True)
    assert '"ran":1' in post(port, write(one, {"n": 1, "name": one}))[1]  # the order says nothing
    assert counted(url, one) == 1


def test_nothing_is_done_after_the_deadline_but_a_repeat_is_answered(url: str, shop: Shop, port: int) -> None:
    late, done = key(), key()
    assert post(port, write(late, {"name": late}, deadline=in_seconds(-1)))[0] == 425
    assert shop.ran == 0
    first = post(port, write(done, {"name": done}))
    assert post(port, write(done, {"name": done}, attempt=2, deadline=in_seconds(-60))) == first
    assert (counted(url, late), counted(url, done)) == (0, 1)


def test_a_write_that_is_not_done_by_its_deadline_is_rolled_back(url: str, shop: Shop, port: int) -> None:
    one = key()
    shop.gate = threading.Event()
    with ThreadPoolExecutor() as threads:
        answer = threads.submit(post, port, write(one, {"name": one}, deadline=in_seconds(1)))
        assert shop.entered.wait(30)
        with psycopg.connect(url) as db:
            db.execute("select pg_sleep(1.1)")  # the clock that decides
        shop.gate.set()
    assert answer.result()[0] == 425
    assert counted(url, one) == 0


def test_not_executed_is_a_promise_that_a_late_call_is_held_to(url: str, shop: Shop, port: int) -> None:
    one = key()
    assert post(port, probe(one, attempt=2)) == (200, '{"disposition":"not_executed"}')
    for attempt in (1, 2):
        status, text = post(port, write(one, {"name": one}, attempt=attempt))
        assert (status, '"error":"attempt_withdrawn"' in text) == (425, True)
    assert shop.ran == 0
    # The next one is what a person confirmed since.
    status, text = post(port, write(one, {"name": one}, attempt=3))
    assert status == 200
    assert post(port, probe(one, attempt=3)) == (200, f'{{"disposition":"executed","result":{text}}}')
    assert counted(url, one) == 1


def test_a_probe_of_what_is_being_worked_on_does_not_wait(shop: Shop, port: int) -> None:
    one = key()
    shop.gate = threading.Event()
    with ThreadPoolExecutor() as threads:
        answer = threads.submit(post, port, write(one, {"name": one}))
        assert shop.entered.wait(30)
        assert post(port, probe(one)) == (200, '{"disposition":"in_progress"}')
        shop.gate.set()
    assert answer.result()[0] == 200


def test_a_probe_gives_nobody_elses_result_away(port: int) -> None:
    one = key()
    post(port, write(one, {"name": one}))
    assert post(port, probe(one, tool="recount")) == (200, '{"disposition":"unknown"}')
    assert post(port, {**probe(one), "tenant": {"id": "other"}}) == (200, '{"disposition":"unknown"}')


def test_a_probe_about_what_is_forgotten_by_now_is_not_answered_with_a_promise(port: int) -> None:
    old = f"{1_600_000_000_000:012x}{key()[12:]}"
    assert post(port, probe(old)) == (200, '{"disposition":"unknown"}')


def test_a_refusal_rolls_back_and_is_told_again(url: str, shop: Shop, port: int) -> None:
    one = key()
    shop.refusal = Refusal("sold_out", "There is none left.", field="name", received=one, limit=0)
    first = post(port, write(one, {"name": one}))
    assert first[0] == 200 and '"error":"sold_out"' in first[1] and '"effect":"none"' in first[1]
    shop.refusal = None
    assert post(port, write(one, {"name": one})) == first  # the same attempt
    assert f'"not_executed","refusal":{first[1]}' in post(port, probe(one))[1]
    assert counted(url, one) == 0
    assert post(port, write(one, {"name": one}, attempt=2))[0] == 200  # one that a person confirmed since
    assert counted(url, one) == 1


def test_after_a_refusal_that_left_something_behind_nobody_is_told_not_executed(shop: Shop, port: int) -> None:
    one = key()
    shop.refusal = Refusal("printer_jam", "The receipt was printed and nothing else.", effect="applied")
    assert '"effect":"applied"' in post(port, write(one, {"name": one}))[1]
    assert post(port, probe(one)) == (200, '{"disposition":"unknown"}')


def test_what_fails_is_rolled_back_and_tells_nothing(
    url: str, shop: Shop, port: int, caplog: pytest.LogCaptureFixture
) -> None:
    one = key()
    shop.refusal = ValueError("the password is hunter2")  # type: ignore[assignment]
    status, text = post(port, write(one, {"name": one}))
    assert (status, "hunter2" in text) == (500, False)
    assert "hunter2" in caplog.text
    assert counted(url, one) == 0


@pytest.mark.parametrize(("stop_at", "made"), [("before-commit", 0), ("before-answer", 1)])
def test_a_vendor_that_is_killed_does_not_do_it_again(url: str, stop_at: str, made: int) -> None:
    one = key()
    with vendor(url, stop_at) as doomed, ThreadPoolExecutor() as threads:
        answer = threads.submit(post, doomed.port, write(one, {"name": one}))
        doomed.wait_for(f"stopped {stop_at}")
        doomed.process.kill()
        assert answer.exception() is not None
    assert counted(url, one) == made
    with vendor(url) as next_one, ThreadPoolExecutor(8) as threads:
        answers = set(threads.map(lambda n: post(next_one.port, write(one, {"name": one}, attempt=2)), range(8)))
        assert post(next_one.port, probe(one))[1].startswith('{"disposition":"executed","result":{"name"')
        ((status, text),) = answers
    assert status == 200
    assert (f'"process":{doomed.process.pid}' in text) == (made == 1)
    assert counted(url, one) == 1


def test_old_entries_are_deleted(url: str, port: int) -> None:
    one = key()
    post(port, write(one, {"name": one}))
    with psycopg.connect(url) as db:
        db.execute("update tether_ledger set updated_at = now() - interval '91 days' where key = %s", [one])
    assert ledger(url).prune() == 1
    assert ledger(url).prune() == 0
    with pytest.raises(ValueError, match="31 or more"):
        Ledger(lambda: psycopg.connect(url), keep_days=30)


def test_a_connection_in_autocommit_is_no_transaction(url: str, caplog: pytest.LogCaptureFixture) -> None:
    assert (
        misuse(Shop(url, Ledger(lambda: psycopg.connect(url, autocommit=True))), caplog)
        == "went to several transactions"
    )


def test_another_isolation_is_refused(url: str, caplog: pytest.LogCaptureFixture) -> None:
    def repeatable() -> psycopg.Connection:
        connection = psycopg.connect(url)
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        return connection

    assert misuse(Shop(url, Ledger(repeatable)), caplog) == "must be read committed"


def test_a_transaction_that_swallows_errors_is_noticed(url: str, caplog: pytest.LogCaptureFixture) -> None:
    @contextmanager
    def swallowing() -> Iterator[psycopg.Connection]:
        try:
            with psycopg.connect(url) as db:
                yield db
        except ValueError:
            pass

    shop = Shop(url, Ledger(swallowing))
    shop.refusal = ValueError("swallow this")  # type: ignore[assignment]
    assert misuse(shop, caplog) == "swallowed an error"


def test_rows_may_come_as_dicts_and_transactions_from_elsewhere(url: str) -> None:
    @contextmanager
    def transaction() -> Iterator[dict[str, psycopg.Connection[Any]]]:
        with psycopg.connect(url, row_factory=psycopg.rows.dict_row) as db:
            yield {"db": db}

    made = Ledger(transaction, cursor=lambda tx: tx["db"].cursor())
    endpoint = Endpoint(signing_secrets=False, ledger=made)

    @endpoint.write("count")
    def count(args: dict[str, Any], call: Call, tx: dict[str, psycopg.Connection[Any]]) -> str:
        tx["db"].execute("insert into counts (name) values (%s)", [args["name"]])
        return "counted"

    one = key()
    with serving(endpoint) as port:
        assert [post(port, write(one, {"name": one})) for _ in range(2)] == [(200, '"counted"')] * 2
    assert counted(url, one) == 1
    assert made.prune() == 0


def misuse(shop: Shop, caplog: pytest.LogCaptureFixture) -> str:
    """Calls, and says which of its complaints the log has; the write must not be there."""
    one = key()
    with serving(shop.endpoint) as port:
        assert post(port, write(one, {"name": one}))[0] == 500
    said = ("went to several transactions", "must be read committed", "swallowed an error")
    return next(each for each in said if each in caplog.text)


class Vendor:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.port = int(self.line().rpartition(":")[2])

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def wait_for(self, line: str) -> None:
        assert self.line() == line


@contextmanager
def vendor(url: str, stop_at: str = "") -> Iterator[Vendor]:
    """`counting_vendor.py` as a process."""
    program = [sys.executable, str(Path(__file__).with_name("counting_vendor.py")), url]
    environment = {**os.environ, "STOP_AT": stop_at}
    process = subprocess.Popen(program, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        yield Vendor(process)
    finally:
        process.kill()
        process.communicate()

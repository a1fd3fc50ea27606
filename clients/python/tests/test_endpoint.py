"""An endpoint lets in what Tether signed, reads it strictly, and answers in words that are read as they are meant."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from typing import Any

import grpc
import psycopg
import pytest
from envelope import SECRET, in_seconds, key, post, probe, signed, write
from place import SIGNING_SECRET, Vendor, catalog, in_doubt, running, seen, serving
from relay import Relay
from standardwebhooks.webhooks import Webhook

from tether.endpoint import Call, Endpoint, Ledger, Refusal, add_to
from tether.endpoint.signature import UnsignedError, signature_check
from tether.v1 import probe_disposition_pb2, tool_endpoint_pb2, tool_endpoint_pb2_grpc

OTHER = "whsec_" + "b3RoZXIgYnl0ZXMgb2YgYSBzZWNyZXQgMTIz"


@contextmanager
def reading(secrets: Any = False, **options: Any) -> Iterator[tuple[int, list[Call]]]:
    """An endpoint of one read, `look`, which answers what its argument says."""
    endpoint: Endpoint[Any] = Endpoint(signing_secrets=secrets, **options)
    calls: list[Call] = []

    @endpoint.read("look")
    def look(args: dict[str, Any], call: Call) -> Any:
        calls.append(call)
        if "refuse" in args:
            raise Refusal(**args["refuse"])
        return args.get("answer")

    with serving(endpoint) as port:
        yield port, calls


def look(args: dict[str, Any], **over: Any) -> dict[str, Any]:
    return write(key(), args, tool="look", is_write=False, mode="read", action_id="", **over)


def test_a_read_is_answered_with_what_its_handler_returns() -> None:
    with reading() as (port, calls):
        tenant = {"id": "acme", "scope": "store-12", "user_id": "u_7"}
        call = look(
            {"answer": {"n": 2**70, "half": 0.5, "text": "Käse"}},
            tenant=tenant,
            deadline="2999-08-20T18:41:07.25+02:00",
        )
        assert post(port, call) == (200, f'{{"n":{2**70},"half":0.5,"text":"Käse"}}')
        (heard,) = calls
        assert (heard.tenant.id, heard.tenant.scope, heard.tenant.user_id) == ("acme", "store-12", "u_7")
        assert heard.deadline == datetime(2999, 8, 20, 16, 41, 7, 250_000, timezone.utc)
        assert (heard.request_id, heard.attempt, heard.action_id) == (call["request_id"], 1, "")
        assert post(port, look({})) == (200, "null")


def test_a_refusal_says_all_that_helps() -> None:
    with reading() as (port, _):
        move = {"action": "call", "tool": "look", "arguments": {"a": 1}, "description": "Look again.", "cost": 0}
        refusal = {
            "code": "too_much",
            "message": "7 is more than 5.",
            "field": "n",
            "received": 7,
            "limit": 5,
            "accepted": [1, 2],
            "retryable": True,
            "alternatives": [move],
        }
        status, text = post(port, look({"refuse": refusal}))
        told = {"error": refusal.pop("code"), "effect": "none", **refusal}
        assert (status, json.loads(text)) == (200, told)
        status, text = post(port, look({"refuse": {"code": "c", "message": "m" * 5000}}))
        assert len(json.loads(text)["message"]) == 4000
        with pytest.raises(TypeError, match="code and a message"):
            Refusal("", "No.")


def test_what_would_be_taken_for_something_else_is_not_sent(caplog: pytest.LogCaptureFixture) -> None:
    with reading(max_result_bytes=200) as (port, _):
        assert post(port, look({"answer": {"error": "no"}}))[0] == 500
        assert "raise Refusal" in caplog.text
        assert post(port, look({"answer": {"error": None}})) == (200, '{"error":null}')
        status, text = post(port, look({"answer": "x" * 199}))
        assert (status, json.loads(text)["error"], json.loads(text)["limit"]) == (200, "result_too_large", 200)
        status, text = post(port, look({"refuse": {"code": "c", "message": "m", "received": "x" * 199}}))
        assert json.loads(text) == {"error": "c", "message": "m", "effect": "none", "retryable": False}


def test_a_tool_is_called_as_what_it_is(ledger: Ledger[psycopg.Connection]) -> None:
    with reading() as (port, calls):
        for call in (write(key(), {}, tool="look"), write(key(), {}, tool="unknown")):
            status, text = post(port, call)
            assert (status, json.loads(text)["error"]) == (
                200,
                "wrong_mode" if call["tool"] == "look" else "unknown_tool",
            )
        assert post(port, probe(key(), tool="look")) == (200, '{"disposition":"unknown"}')
        assert post(port, look({}, deadline=in_seconds(-1)))[0] == 425
        assert calls == []
    with pytest.raises(ValueError, match="there is no ledger"):
        Endpoint(signing_secrets=False).write("count")
    endpoint = Endpoint(signing_secrets=False, ledger=ledger)
    endpoint.read("look")(lambda args, call: None)
    with pytest.raises(ValueError, match="a handler already"):
        endpoint.write("look")(lambda args, call, tx: None)


WRONG: list[dict[str, Any]] = [
    {"request_id": ""},
    {"request_id": 7},
    {"tool": ""},
    {"attempt": 0},
    {"attempt": True},
    {"attempt": None},
    {"mode": "write"},
    {"args": []},
    {"deadline": "2026-08-20"},
    {"deadline": "2026-08-20T18:41:07"},
    {"deadline": None},
]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no",
        b"[]",
        b'"\xff"',
        json.dumps(look({})).encode("utf-16"),
        json.dumps(look({})).encode()[:-1] + b',"mode":"read"}',
        *(json.dumps({**look({}), **wrong}).encode() for wrong in WRONG),
    ],
)
def test_what_is_no_call_is_not_answered_as_one(body: bytes) -> None:
    with reading() as (port, calls):
        status, text = post(port, body)
        assert (status, json.loads(text)["error"]) == (400, "malformed_call")
        assert calls == []


def test_the_key_in_the_header_is_the_key_in_the_body() -> None:
    with reading() as (port, calls):
        assert post(port, look({}), {"X-Tether-Idempotency-Key": key()})[0] == 400
        assert calls == []


def test_requests_that_are_no_posts_of_a_known_length_are_turned_away() -> None:
    import http.client

    with reading(max_request_bytes=1000) as (port, calls):
        for method, body, headers, expected in (
            ("GET", None, {}, 405),
            ("POST", iter([b"{}"]), {"Transfer-Encoding": "chunked"}, 411),
            ("POST", b"x" * 1001, {}, 413),
        ):
            connection = http.client.HTTPConnection("127.0.0.1", port)
            connection.request(method, "/tools", body, headers)
            assert connection.getresponse().status == expected
            connection.close()
        assert calls == []


def test_a_signature_of_the_published_library_is_taken() -> None:
    body = json.dumps(look({"answer": "Käse"})).encode()
    now = datetime.now(timezone.utc)
    headers = {
        "webhook-id": "call-1",
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(SECRET).sign("call-1", now, body.decode()),
    }
    with reading(SECRET) as (port, _):
        assert post(port, body, headers) == (200, '"Käse"')


def test_every_byte_and_every_header_counts() -> None:
    body = json.dumps(look({})).encode()
    good = signed(body)
    with reading([SECRET, OTHER]) as (port, calls):
        wrong: dict[str, str]
        assert post(port, body, good)[0] == 200
        assert post(port, body, signed(body, secret=OTHER))[0] == 200
        both = f"v1,AAAA v2,BBBB {good['webhook-signature']} nonsense"
        assert post(port, body, {**good, "webhook-signature": both})[0] == 200
        known = len(calls)
        for wrong in (
            {},
            {**good, "webhook-id": "call-2"},
            {**good, "webhook-timestamp": str(int(good["webhook-timestamp"]) + 1)},
            {**good, "webhook-timestamp": "soon"},
            {**good, "webhook-signature": "v1,"},
            {**good, "webhook-signature": good["webhook-signature"].removeprefix("v1,")},
            signed(body, secret=SIGNING_SECRET),
            signed(body + b" "),
            signed(body, at=time.time() - 301),
            signed(body, at=time.time() + 301),
        ):
            status, text = post(port, body, wrong)
            assert (status, json.loads(text)["error"]) == (401, "unauthenticated")
        assert len(calls) == known


def test_secrets_are_of_their_form_and_are_not_told() -> None:
    secrets: list[str | list[str]] = ["", [], "hunter2", "whsec_aHVudGVyMg==", "whsec_!"]
    for secret in secrets:
        with pytest.raises(ValueError) as caught:
            Endpoint(signing_secrets=secret)
        assert "hunter2" not in str(caught.value) and "aHVudGVy" not in str(caught.value)


def test_age_is_by_the_clock_that_is_handed_in() -> None:
    check = signature_check(SECRET, now=lambda: 1_000_300.0)
    check(b"", signed(b"", at=1_000_000))
    with pytest.raises(UnsignedError, match="more than 300 s"):
        check(b"", signed(b"", at=999_999))


@contextmanager
def over_grpc(endpoint: Endpoint[Any]) -> Iterator[int]:
    server = grpc.server(ThreadPoolExecutor(8))
    add_to(server, endpoint)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield port
    finally:
        server.stop(None).wait()


def test_tether_calls_it_over_grpc_as_over_json(ledger: Ledger[psycopg.Connection]) -> None:
    vendor = Vendor(ledger)
    with over_grpc(vendor.endpoint()) as port:
        relay = Relay(port)
        with running(catalog(f"http://{relay.address}", "grpc")) as server:
            with server.client("agent") as agent, server.client("approver") as approver:
                vendor.results["T-1"] = {"n": 2**70}
                assert agent.call("get_ticket", {"ticket_id": "T-1"}).result == {"n": 2**70}
                done = approver.confirm(agent.stage("void_ticket", {"ticket_id": "T-1"}).action)
                assert (done.status, done.result) == ("EXECUTED", {"ticket_id": "T-1", "status": "void"})
                move = {"action": "look", "tool": "get_ticket", "arguments": {"ticket_id": "T-2"}, "cost": 1}
                vendor.refuses["T-2"] = Refusal(
                    "closed",
                    "It is closed.",
                    field="ticket_id",
                    received="T-2",
                    retry_after=timedelta(seconds=3),
                    alternatives=[move],
                )
                refused = approver.confirm(agent.stage("void_ticket", {"ticket_id": "T-2"}).action)
                assert refused.error is not None
                assert (refused.status, refused.error.code, refused.error.received) == ("REFUSED", "closed", "T-2")
                mine = next(each for each in refused.error.alternatives if each.action == "look")
                assert (mine.arguments, mine.extra) == ({"ticket_id": "T-2"}, {"cost": 1})
                vendor.fails.add("T-3")
                failed = approver.confirm(agent.stage("void_ticket", {"ticket_id": "T-3"}).action)
                assert (failed.status, failed.action.effect) == ("FAILED_RETRYABLE", "UNKNOWN")
                doubted = in_doubt(agent.stage("void_ticket", {"ticket_id": "T-4"}).action, approver, vendor, relay)
                seen(agent, doubted, lambda now: now.state == "SUCCEEDED")
                assert len(vendor.writes_of("T-4")) == 1
        relay.close()


def test_grpc_calls_are_signed_read_strictly_and_not_applied_late(ledger: Ledger[psycopg.Connection]) -> None:
    vendor = Vendor(ledger)
    call: dict[str, Any] = {
        "request_id": key(),
        "tool": "void_ticket",
        "arguments_json": '{"ticket_id":"T-1"}',
        "mode": 2,
        "attempt": 1,
    }
    late = {**call, "deadline": {"seconds": 1_600_000_000}}
    with over_grpc(vendor.endpoint()) as port, grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub = tool_endpoint_pb2_grpc.ToolEndpointStub(channel)  # type: ignore[no-untyped-call]

        def status_of(request: Any, **options: Any) -> str:
            with pytest.raises(grpc.RpcError) as caught:
                method = stub.Probe if isinstance(request, tool_endpoint_pb2.ProbeRequest) else stub.Invoke
                method(request, metadata=tuple(signed(request.SerializeToString(), **options).items()))
            return caught.value.code().name

        invoke: Any = tool_endpoint_pb2.InvokeRequest
        assert status_of(invoke(**late), secret=SECRET) == "UNAUTHENTICATED"
        assert status_of(tool_endpoint_pb2.ProbeRequest(), secret=SECRET) == "UNAUTHENTICATED"
        assert status_of(invoke(**late), secret=SIGNING_SECRET) == "ABORTED"
        for wrong in (
            invoke(**call),
            invoke(**{**late, "mode": 0}),
            invoke(**{**late, "arguments_json": ""}),
            invoke(**{**late, "request_id": ""}),
            tool_endpoint_pb2.ProbeRequest(),
        ):
            assert status_of(wrong, secret=SIGNING_SECRET) == "INVALID_ARGUMENT"
        question = tool_endpoint_pb2.ProbeRequest(request_id=key(), tool="void_ticket", attempt=1)
        answer = stub.Probe(
            question, metadata=tuple(signed(question.SerializeToString(), secret=SIGNING_SECRET).items())
        )
        assert answer.disposition == probe_disposition_pb2.PROBE_DISPOSITION_NOT_EXECUTED
    assert vendor.calls == []

"""Every fault that the reference server can commit, as a client sees it and as the log tells it."""

import http.client
import json
import socket

import pytest
from tests.support.exchange import ask, chat, events

from sparktune.io.reference.plan import Fault
from sparktune.io.reference.process import ReferenceProcess

_BODY = {"model": "reference", "messages": [{"role": "user", "content": "x"}], "max_tokens": 8, "stream": True}


def _raw(reference: ReferenceProcess) -> bytes:
    """Return all bytes until the server closes; raises ConnectionResetError when it resets."""
    body = json.dumps(_BODY).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection((reference.host, reference.port), timeout=20) as sock:
        sock.sendall(head.encode() + body)
        parts = []
        while data := sock.recv(65536):
            parts.append(data)
    return b"".join(parts)


def test_status(reference: ReferenceProcess) -> None:
    reference.configure(fail_every=2, fail_status=503)
    replies = [chat(reference, max_tokens=1).status for _ in range(4)]

    assert replies == [200, 503, 200, 503]
    assert [record.fault for record in reference.drain_log()] == [Fault.NONE, Fault.FAIL, Fault.NONE, Fault.FAIL]


def test_error_inside_the_stream(reference: ReferenceProcess) -> None:
    reference.configure(errchunk_every=1, role="none")
    *output, error = events(chat(reference, max_tokens=8))

    assert len(output) == 4
    assert error["error"]["code"] == 500


def test_error_of_an_answer_that_is_not_streamed(reference: ReferenceProcess) -> None:
    reference.configure(errchunk_every=1)

    assert chat(reference, max_tokens=8, stream=False).status == 500


def test_reset(reference: ReferenceProcess) -> None:
    reference.configure(abort_every=1)

    with pytest.raises(ConnectionResetError):
        _raw(reference)
    (record,) = reference.drain_log()
    assert (record.fault, len(record.tokens)) == (Fault.ABORT, 4)


def test_cut_inside_a_chunk(reference: ReferenceProcess) -> None:
    reference.configure(cut_mid_chunk_every=1)
    data = _raw(reference)
    (record,) = reference.drain_log()

    assert not data.endswith(b"\n\n\r\n")
    assert data.count(b'"content":" ') == 4
    assert (record.fault, record.output_tokens) == (Fault.CUT, 4)


def test_stall_ends_when_the_client_leaves(reference: ReferenceProcess) -> None:
    reference.configure(stall_every=1, itl_ms=0)
    with socket.create_connection((reference.host, reference.port), timeout=20) as sock:
        body = json.dumps(_BODY).encode()
        sock.sendall(f"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        data = b""
        while data.count(b'"content":" ') < 4:
            data += sock.recv(65536)
        assert reference.drain_log() == ()
    (record,) = reference.drain_log()

    assert (record.fault, record.output_tokens) == (Fault.STALL, 4)


def test_client_that_leaves_is_logged(reference: ReferenceProcess) -> None:
    reference.configure(itl_ms=5000)
    connection = http.client.HTTPConnection(reference.host, reference.port, timeout=20)
    connection.request("POST", "/v1/chat/completions", json.dumps(_BODY))
    answer = connection.getresponse()
    answer.readline()
    answer.close()
    connection.close()
    (record,) = reference.drain_log()

    assert record.fault is Fault.CLIENT_LEFT
    assert record.output_tokens < 8


def test_client_that_leaves_the_queue_takes_no_slot(reference: ReferenceProcess) -> None:
    """Its place goes to nobody: only a slot that is really free may start the next one."""
    reference.configure(slots=1, ttft_ms=500)
    connections = [http.client.HTTPConnection(reference.host, reference.port, timeout=20) for _ in range(3)]
    for number, connection in enumerate(connections):
        connection.request("POST", "/v1/chat/completions", json.dumps(_BODY), {"X-Request-Id": f"r{number}"})
    ask(reference, "GET", "/health")  # answered in order: the three are known to the server by now
    connections[1].close()
    for connection in (connections[0], connections[2]):
        assert connection.getresponse().read().endswith(b"[DONE]\n\n")
        connection.close()
    first, left, last = sorted(reference.drain_log(), key=lambda record: record.request_id)

    assert [record.fault for record in (first, left, last)] == [Fault.NONE, Fault.CLIENT_LEFT, Fault.NONE]
    assert last.start_ns >= first.before_ns[-1]
    assert left.tokens == ()


@pytest.mark.parametrize(("html", "models"), [("stream", "application/json"), ("all", "text/html; charset=utf-8")])
def test_web_page(reference: ReferenceProcess, html: str, models: str) -> None:
    reference.configure(html=html)
    reply = chat(reference)

    assert (reply.status, reply.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert reply.body.startswith(b"<!DOCTYPE html>")
    assert ask(reference, "GET", "/v1/models").headers["content-type"] == models


def test_loading(reference: ReferenceProcess) -> None:
    reference.configure(loading=True)

    assert [ask(reference, "GET", path).status for path in ("/v1/models", "/health")] == [503, 503]
    assert chat(reference).status == 503


@pytest.mark.parametrize(
    ("headers", "expected"), [({}, 401), ({"Authorization": "Bearer no"}, 401), ({"Authorization": "Bearer yes"}, 200)]
)
def test_api_key(reference: ReferenceProcess, headers: dict[str, str], expected: int) -> None:
    reference.configure(api_key="yes")

    assert ask(reference, "GET", "/v1/models", headers=headers).status == expected
    assert ask(reference, "GET", "/health").status == 200


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({"model": "other"}, 404, "`other` does not exist"),
        ({"max_tokens": 0}, 400, "max_tokens"),
        ({"max_tokens": 200_000}, 400, "maximum context length"),
        ({"messages": None}, 400, "neither messages nor a prompt"),
        ({"messages": "x"}, 400, "array"),
    ],
)
def test_refusals(reference: ReferenceProcess, fields: dict[str, object], status: int, said: str) -> None:
    reply = ask(reference, "POST", "/v1/chat/completions", {**_BODY, **fields})

    assert reply.status == status
    assert said in reply.json["error"]["message"]


def test_bytes_that_are_no_request(reference: ReferenceProcess) -> None:
    with socket.create_connection((reference.host, reference.port), timeout=20) as sock:
        sock.sendall(b"\x16\x03\x01 hello\r\n\r\n")

        assert sock.recv(65536).startswith(b"HTTP/1.1 400 ")

"""The reference server's streams over real sockets: the bytes follow the knobs, and the log follows the bytes."""

import http.client
import json
import time
from itertools import pairwise

import pytest
from tests.support.exchange import ask, chat, events

from sparktune.io.reference.knobs import Offer
from sparktune.io.reference.plan import Fault
from sparktune.io.reference.process import ReferenceProcess

_USAGE = {"include_usage": True}
_RUNNING = {"include_usage": True, "continuous_usage_stats": True}


def test_plain_stream(reference: ReferenceProcess) -> None:
    reply = chat(reference, max_tokens=3, stream_options=_USAGE)
    role, *output, finish, usage = events(reply)

    assert reply.headers["content-type"].startswith("text/event-stream")
    assert role["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert [event["choices"][0]["delta"]["content"] for event in output] == [" the", " river", " bends"]
    assert finish["choices"][0] == {"index": 0, "delta": {}, "logprobs": None, "finish_reason": "length"}
    assert usage["usage"] == {"prompt_tokens": 10, "total_tokens": 13, "completion_tokens": 3}
    assert reply.body.endswith(b"data: [DONE]\n\n")


def test_completions_have_text_and_no_role(reference: ReferenceProcess) -> None:
    body = {"model": "reference", "prompt": "a b", "max_tokens": 2, "stream": True}
    output = events(ask(reference, "POST", "/v1/completions", body))

    assert [event["choices"][0]["text"] for event in output] == [" the", " river", ""]
    assert {event["object"] for event in output} == {"text_completion"}


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/completions"])
def test_not_streamed(reference: ReferenceProcess, path: str) -> None:
    body = {"model": "reference", "messages": [{"role": "user", "content": "x"}], "prompt": "x", "max_tokens": 2}
    reply = ask(reference, "POST", path, body).json
    (record,) = reference.drain_log()

    assert reply["usage"]["completion_tokens"] == 2
    assert record.tokens == (2,)
    assert record.before_ns[0] >= record.due_ns


def test_chunks_keep_the_schedule_and_the_log_says_when(reference: ReferenceProcess) -> None:
    """Never early; how late is what the log is for."""
    reference.configure(ttft_ms=30, itl_ms=3)
    chat(reference, max_tokens=10)
    (record,) = reference.drain_log()
    due_ns = [record.due_ns + index * 3_000_000 for index in range(10)]

    assert record.arrived_ns is not None
    assert record.arrived_ns <= record.received_ns
    assert record.start_ns == record.arrived_ns
    assert record.due_ns == record.start_ns + 30_000_000
    assert all(before >= due for before, due in zip(record.before_ns, due_ns, strict=True))
    assert all(before <= after for before, after in zip(record.before_ns, record.after_ns, strict=True))
    assert all(
        first <= second for (_, first), (second, _) in pairwise(zip(record.before_ns, record.after_ns, strict=True))
    )
    assert record.late_max_ns == max(before - due for before, due in zip(record.before_ns, due_ns, strict=True))
    assert (record.output_tokens, record.prompt_tokens, record.fault) == (10, 10, Fault.NONE)


def test_batch_phase_writes_on_the_grid(reference: ReferenceProcess) -> None:
    reference.configure(phase="batch", itl_ms=4)
    chat(reference, max_tokens=2)
    (record,) = reference.drain_log()

    assert record.due_ns % 4_000_000 == 0


@pytest.mark.parametrize(("role", "expected"), [("first", True), ("early", True), ("none", False)])
def test_role_chunk(reference: ReferenceProcess, role: str, *, expected: bool) -> None:
    reference.configure(role=role, headers_early=False)
    output = events(chat(reference, max_tokens=1))
    (record,) = reference.drain_log()

    assert ("role" in output[0]["choices"][0]["delta"]) is expected
    assert (record.role_ns is not None) is expected
    if record.role_ns is not None:
        assert (record.role_ns[1] < record.due_ns) is (role == "early")


def test_several_tokens_per_chunk(reference: ReferenceProcess) -> None:
    reference.configure(tpc=3, token_ids=Offer.ASKED, usage_always=Offer.ASKED, role="none")
    output = events(chat(reference, max_tokens=7, return_token_ids=True, stream_options=_RUNNING))
    (record,) = reference.drain_log()

    assert record.tokens == (3, 3, 1)
    assert [len(event["choices"][0]["token_ids"]) for event in output[:3]] == [3, 3, 1]
    assert [event["usage"]["completion_tokens"] for event in output] == [3, 6, 7, 7, 7]
    assert output[0]["choices"][0]["delta"]["content"] == " the river bends"


@pytest.mark.parametrize(
    ("offer", "asked", "expected"),
    [("never", True, False), ("asked", True, True), ("asked", False, False), ("always", False, True)],
)
def test_optional_parts(reference: ReferenceProcess, offer: str, *, asked: bool, expected: bool) -> None:
    reference.configure(token_ids=offer, usage=offer, usage_always=offer, role="none")
    fields = {"return_token_ids": True, "stream_options": _RUNNING} if asked else {}
    first, *_, last = events(chat(reference, max_tokens=2, **fields))

    assert ("token_ids" in first["choices"][0], "usage" in first) == (expected, expected)
    assert (last["choices"] == []) is expected


def test_reasoning_field(reference: ReferenceProcess) -> None:
    reference.configure(reasoning=2, reasoning_field="thoughts", role="none")
    output = events(chat(reference, max_tokens=3))

    assert [next(iter(event["choices"][0]["delta"])) for event in output[:3]] == ["thoughts", "thoughts", "content"]


def test_empty_chunks_carry_ids(reference: ReferenceProcess) -> None:
    reference.configure(empty_every=2, token_ids=Offer.ALWAYS, role="none")
    output = events(chat(reference, max_tokens=4))[:4]

    assert [event["choices"][0]["delta"]["content"] for event in output] == [" the", "", " bends", ""]
    assert [event["choices"][0]["token_ids"] for event in output] == [[0], [1], [2], [3]]


def test_pad_ping_and_coalesce(reference: ReferenceProcess) -> None:
    reference.configure(pad=50, ping_every=2, coalesce=4, role="none")
    reply = chat(reference, max_tokens=8)
    (record,) = reference.drain_log()

    assert reply.body.count(b": keep-alive\n\n") == 4
    assert all(len(event["pad"]) == 50 for event in events(reply))
    assert len(set(record.before_ns)) == 2
    assert record.output_tokens == 8


@pytest.mark.parametrize(("fields", "expected"), [({}, (20, "stop")), ({"ignore_eos": True}, (30, "length"))])
def test_natural_stop(reference: ReferenceProcess, fields: dict[str, object], expected: tuple[int, str]) -> None:
    reference.configure(eos_at=20, itl_ms=0)
    output = events(chat(reference, max_tokens=30, **fields))
    (record,) = reference.drain_log()

    assert (record.output_tokens, output[-1]["choices"][0]["finish_reason"]) == expected


def test_prefix_cache_is_told_and_used(reference: ReferenceProcess) -> None:
    reference.configure(prefix_cache=True, pp_tps=1000, ttft_ms=1)
    prompt = " ".join(f"w{number}" for number in range(100))
    for fields in ({}, {}, {"cache_salt": "other"}, {"cache_prompt": False}):
        chat(reference, prompt=prompt, max_tokens=1, stream_options=_USAGE, **fields)
    records = reference.drain_log()

    assert [record.cached_tokens for record in records] == [0, 96, 0, 0]
    assert [record.due_ns - record.start_ns for record in records] == [
        108_000_000,
        12_000_000,
        108_000_000,
        108_000_000,
    ]


def test_cached_tokens_as_set(reference: ReferenceProcess) -> None:
    reference.configure(cached=4)
    usage = events(chat(reference, max_tokens=1, stream_options=_USAGE))[-1]["usage"]

    assert usage["prompt_tokens_details"] == {"cached_tokens": 4}


def test_stagger_and_slots(reference: ReferenceProcess) -> None:
    """The third of three simultaneous requests waits for a slot; each later one is staggered."""
    reference.configure(stagger_ms=50, slots=2, ttft_ms=1500, itl_ms=1)  # all three are there before the first ends
    connections = [http.client.HTTPConnection(reference.host, reference.port, timeout=20) for _ in range(3)]
    for number, connection in enumerate(connections):
        body = {"model": "reference", "prompt": "x", "max_tokens": 2, "stream": True}
        connection.request("POST", "/v1/completions", json.dumps(body), {"X-Request-Id": f"r{number}"})
    for connection in connections:
        connection.getresponse().read()
        connection.close()
    first, second, third = sorted(reference.drain_log(), key=lambda record: record.request_id)

    assert [record.inflight for record in (first, second, third)] == [1, 2, 3]
    assert second.due_ns - second.start_ns == 1_550_000_000
    assert third.due_ns - third.start_ns == 1_600_000_000
    assert third.start_ns > first.end_ns - 1_000_000 > third.received_ns


@pytest.mark.parametrize("prefills", [1, 2])
def test_prompts_wait_for_or_share_the_rate(reference: ReferenceProcess, prefills: int) -> None:
    """The practice service stands on this: one at a time the short one waits for the long one, two share the rate."""
    long_ns, short_ns = 2_000_000_000, 100_000_000
    reference.configure(prefills=prefills, pp_tps=1000, ttft_ms=10)
    connections = [http.client.HTTPConnection(reference.host, reference.port, timeout=20) for _ in range(2)]
    for number, (connection, tokens) in enumerate(zip(connections, (2000, 100), strict=True)):
        body = {"model": "reference", "prompt": "x " * tokens, "max_tokens": 2, "stream": True}
        connection.request("POST", "/v1/completions", json.dumps(body), {"X-Request-Id": f"r{number}"})
        time.sleep(0.05)  # so that the long one is first
    for connection in connections:
        connection.getresponse().read()
        connection.close()
    first, second = sorted(reference.drain_log(), key=lambda record: record.request_id)

    assert first.arrived_ns is not None
    assert second.arrived_ns is not None
    alone = first.arrived_ns + long_ns
    assert first.start_ns == pytest.approx(alone + (short_ns if prefills > 1 else 0), abs=2)
    waits = second.arrived_ns + 2 * short_ns if prefills > 1 else alone + short_ns
    assert second.start_ns == pytest.approx(waits, abs=2)
    assert second.due_ns == second.start_ns + 10_000_000


def test_keep_alive_connection_serves_again(reference: ReferenceProcess) -> None:
    connection = http.client.HTTPConnection(reference.host, reference.port, timeout=20)
    ports = set()
    for _ in range(3):
        body = {"model": "reference", "prompt": "x", "max_tokens": 1, "stream": True}
        connection.request("POST", "/v1/completions", json.dumps(body))
        assert connection.getresponse().read().endswith(b"[DONE]\n\n")
        ports.add(connection.sock.getsockname()[1])
    connection.close()

    assert {record.peer_port for record in reference.drain_log()} == ports
    assert len(ports) == 1

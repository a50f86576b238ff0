"""What is written of traffic: lengths, times and flags as they passed; never a word of it, never a key."""

import gzip
import json
import zlib
from typing import Any

import pytest
from tests.support.traffic import answer, chat, events, recorded, request

from sparktune.bench.traffic.exchanges import End

_HELLO = chat(("system", "be brief and kind"), ("user", "hello there, who are you?"), stream=True)
_USAGE = {"prompt_tokens": 19, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 16}}
_STREAM = events(
    {"choices": [{"delta": {"role": "assistant", "content": ""}}]},
    {"choices": [{"delta": {"content": "I am"}}]},
    {"choices": [{"delta": {"content": " here"}}]},
    {"choices": [], "usage": _USAGE},
    "[DONE]",
)


def _chunked(body: bytes, size: int = 40) -> bytes:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    return head + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


@pytest.mark.parametrize("piece", [0, 1, 7, 64])
def test_an_exchange_is_the_same_however_its_bytes_are_cut(piece: int) -> None:
    """Networks cut anywhere: a length that depended on it would be chance."""
    done = recorded([("up", request(_HELLO)), ("down", _chunked(_STREAM))], piece=piece)
    (line,) = done.lines

    assert {name: line[name] for name in ("timestamp", "input_length", "output_length", "hash_ids")} == {
        "timestamp": 0.0,
        "input_length": 19,
        "output_length": 3,
        "hash_ids": [0],
    }
    wanted = {"input_from": "usage", "output_from": "usage", "cached_tokens": 16, "status": 200, "end": "done"}
    assert wanted.items() <= line["sparktune"].items()
    assert (line["sparktune"]["stream"], line["sparktune"]["model"]) == (True, "m")
    assert (line["sparktune"]["ttft_ms"], line["sparktune"]["duration_ms"]) == (1.0, 1.0)


def test_no_text_and_no_key_is_written_unless_asked_for() -> None:
    passed = [("up", request(_HELLO)), ("down", _chunked(_STREAM))]
    silent, told = recorded(passed), recorded(passed, with_text=True)

    for word in (b"hello", b"brief", b"here", b"secret", b"Bearer"):
        assert word not in silent.raw
    assert told.lines[0]["sparktune"]["text"]["messages"][1]["content"] == "hello there, who are you?"
    assert b"secret" not in told.raw


def test_pipelined_requests_get_their_own_answers() -> None:
    """Answers come in the order of requests (RFC 9112); the second one must not take the first one's counts."""
    bodies = [chat(("user", "one " * count)) for count in (3, 9)]
    answers = [
        answer(json.dumps({"choices": [], "usage": {"prompt_tokens": count, "completion_tokens": 1}}).encode())
        for count in (11, 22)
    ]
    done = recorded([("up", b"".join(map(request, bodies))), ("down", b"".join(answers))])

    assert [line["input_length"] for line in done.lines] == [11, 22]


def test_counts_with_a_decimal_point_are_counts() -> None:
    """64.0 is the same number as 64, whichever a server writes."""
    body = json.dumps({"choices": [], "usage": {"prompt_tokens": 5.0, "completion_tokens": 1.0}}).encode()
    done = recorded([("up", request(chat(("user", "x")))), ("down", answer(body))])

    (line,) = done.lines
    assert (line["input_length"], line["output_length"]) == (5, 1)
    assert b"5.0" not in done.raw


def test_an_interim_answer_is_none() -> None:
    body = json.dumps({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 1}}).encode()
    up = request(chat(("user", "x")), headers={"Expect": "100-continue"})
    done = recorded([("up", up), ("down", b"HTTP/1.1 100 Continue\r\n\r\n"), ("down", answer(body))])

    assert [(line["sparktune"]["status"], line["input_length"]) for line in done.lines] == [(200, 5)]


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_compressed_bodies_are_read_both_ways(encoding: str) -> None:
    pack = gzip.compress if encoding == "gzip" else zlib.compress
    up = request(pack(json.dumps(_HELLO).encode()), headers={"Content-Encoding": encoding})
    down = answer(pack(_STREAM), kind="text/event-stream", Content_Encoding=encoding)
    (line,) = recorded([("up", up), ("down", down)]).lines

    assert (line["input_length"], line["output_length"]) == (19, 3)


@pytest.mark.parametrize(
    ("up", "why"),
    [
        (request(b"no json at all"), "its body is no JSON"),
        (request(b"[1, 2]"), "its body is no JSON object"),
        (request({"model": "m"}), "it has no prompt"),
        (request(b"\x1f\x8bnot gzip", headers={"Content-Encoding": "gzip"}), "its body says that it is compressed"),
        (request(b"\x28\xb5", headers={"Content-Encoding": "zstd"}), "its body is encoded as zstd"),
        (request(b"x", headers={"Content-Encoding": "\x9b31m-Alice"}), "its body is encoded as something unusual"),
        (b"\x16\x03\x01 no HTTP at all\r\n\r\n", "no HTTP/1"),
        (request(_HELLO, method="HEAD"), "HEAD"),
    ],
)
def test_what_cannot_be_read_is_counted_with_its_reason(up: bytes, why: str) -> None:
    """Less in the file than passed must never look like all of it."""
    done = recorded([("up", up), ("down", answer(b"{}"))])

    assert done.lines == []
    assert [why in said for said in done.tally.missed] == [True]


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        (["up", "down"], "it was answered before it was whole"),
        (["up", "down", "rest"], "it was answered before it was whole"),
        (["up"], "it was cut off before it was whole"),
    ],
    ids=["answered", "answered, then whole", "cut off"],
)
def test_a_request_that_was_not_whole_is_counted_once(steps: list[str], why: str) -> None:
    """As of a body that is too large for its server: the answer comes, and the rest of the body perhaps never."""
    whole, refusal = request(_HELLO), answer(b"{}")
    bytes_of = {"up": ("up", whole[:-5]), "rest": ("up", whole[-5:]), "down": ("down", refusal)}
    done = recorded([bytes_of[name] for name in steps])

    assert (done.lines, done.tally.missed) == ([], {why: 1})


@pytest.mark.parametrize("path", ["/v1/models", "/health", "/v1/embeddings"])
def test_requests_that_write_nothing_are_only_counted(path: str) -> None:
    done = recorded([("up", request({}, path)), ("down", answer(b"{}"))])

    assert (done.lines, done.tally.others, done.tally.missed) == ([], 1, {})


@pytest.mark.parametrize(("end", "told"), [(End.SERVER_GONE, "server gone"), (End.CLIENT_GONE, "client gone")])
def test_an_answer_that_was_cut_off_has_what_had_come(end: End, told: str) -> None:
    whole = _chunked(_STREAM, 1000)
    cut = whole[: whole.index(b'"usage"')]
    (line,) = recorded([("up", request(_HELLO)), ("down", cut)], end=end).lines

    assert (line["sparktune"]["end"], line["sparktune"]["output_from"]) == (told, "events")
    assert line["output_length"] == 2


def test_an_answer_without_a_length_ends_with_its_connection() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    (line,) = recorded([("up", request(_HELLO)), ("down", head + _STREAM)]).lines

    assert (line["sparktune"]["end"], line["output_length"]) == ("done", 3)


def test_a_refused_request_says_so() -> None:
    (line,) = recorded([("up", request(_HELLO)), ("down", answer(b'{"error": "busy"}', status=503))]).lines

    assert (line["sparktune"]["status"], line["output_length"], line["sparktune"]["output_from"]) == (503, 0, "nothing")


_FORMS: list[tuple[str, dict[str, Any], bytes, tuple[int, int, int | None]]] = [
    (
        "/v1/completions",
        {"prompt": "once upon"},
        events({"choices": [{"text": " a"}]}, {"timings": {"prompt_n": 2, "cache_n": 7, "predicted_n": 1}}),
        (9, 1, 7),
    ),
    (
        "/v1/messages",
        {"system": "be kind", "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]},
        events(
            {"type": "message_start", "message": {"usage": {"input_tokens": 4, "cache_read_input_tokens": 6}}},
            {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "yes"}},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        ),
        (10, 2, 6),
    ),
    (
        "/v1/responses",
        {"instructions": "be kind", "input": "hi"},
        events(
            {"type": "response.output_text.delta", "delta": "yes"},
            {"type": "response.completed", "response": {"usage": {"input_tokens": 8, "output_tokens": 1}}},
        ),
        (8, 1, None),
    ),
]


@pytest.mark.parametrize(("path", "body", "stream", "wanted"), _FORMS, ids=[form[0] for form in _FORMS])
def test_every_form_of_answer_tells_its_counts(
    path: str, body: dict[str, Any], stream: bytes, wanted: tuple[int, int, int | None]
) -> None:
    down = answer(stream, kind="text/event-stream")
    (line,) = recorded([("up", request({**body, "stream": True}, path)), ("down", down)]).lines

    assert (line["input_length"], line["output_length"], line["sparktune"]["cached_tokens"]) == wanted
    assert line["sparktune"]["ttft_ms"] == 1.0


@pytest.mark.parametrize("depth", [100, 450, 700, 900, 950, 990])
@pytest.mark.parametrize(("opens", "closes"), [("[", "]"), ('{"text":', "}")], ids=["lists", "objects"])
def test_json_just_within_what_can_be_read_does_not_end_the_recording(depth: int, opens: str, closes: str) -> None:
    """Its process would be gone, and with it everything that comes later."""
    deep = (opens * depth + '"a"' + closes * depth).encode()
    body = b'{"model":"m","messages":[{"role":"user","content":%b}],"tools":%b}' % (deep, deep)
    stream = b'data: {"choices":[{"delta":{"content":%b}}]}\n\n' % deep
    plain = b'{"choices":[{"message":{"content":%b}}]}' % deep
    passed = [
        ("up", request(body)),
        ("down", answer(stream, kind="text/event-stream")),
        ("up", request(_HELLO)),
        ("down", answer(plain)),
    ]

    assert recorded(passed).tally.requests >= 1


def test_a_small_answer_that_unpacks_to_much_is_not_read() -> None:
    """A thousandfold: the recording stays within its memory, and says what it has not read."""
    packed = gzip.compress(b" " * 40_000_000)
    done = recorded([("up", request(_HELLO)), ("down", answer(packed, content_encoding="gzip"))])

    assert done.lines[0]["sparktune"]["output_from"] == "nothing"
    assert done.tally.missed == {"lengths of answers estimated: an answer had more than 16 MiB in one piece": 1}


@pytest.mark.parametrize(
    "body",
    [
        events({"choices": [{"delta": {"content": "I"}}]}, {"error": {"message": "CUDA out of memory"}}, "[DONE]"),
        events({"choices": [{"delta": {"content": "I"}, "finish_reason": "length"}], "error": {"message": "gone"}}),
    ],
    ids=["in its place", "beside a choice"],
)
def test_an_error_inside_an_answer_of_status_200_is_a_failure(body: bytes) -> None:
    """A summary that says "0 failed" about it would be believed."""
    assert recorded([("up", request(_HELLO)), ("down", _chunked(body))]).tally.failed == 1


def test_an_error_of_null_is_none() -> None:
    body = events({"choices": [{"delta": {"content": "I"}}], "error": None})

    assert recorded([("up", request(_HELLO)), ("down", _chunked(body))]).tally.failed == 0


def test_a_stream_of_which_nothing_can_be_read_is_told() -> None:
    """Lines that end with CR alone: its length would be 0 tokens, and nobody would know why."""
    body = _STREAM.replace(b"\n", b"\r")
    done = recorded([("up", request(_HELLO)), ("down", _chunked(body))])

    assert done.tally.missed == {"lengths of answers estimated: an event stream held no event that can be read": 1}

"""Answers read from the wire: put together from a stream as from one object, and never right when they were cut."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.support.shared import shared

from sparktune.bench.quality.battery import BATTERY
from sparktune.bench.quality.item import ToolItem
from sparktune.bench.quality.judge import judge_reply
from sparktune.bench.quality.reply import Call, read_reply
from sparktune.bench.quality.schema import KNOWN_WORDS, misfit
from sparktune.bench.quality.tools import TOOLS
from sparktune.model.quality import ItemState

_PART = 7


def _set(arguments: dict[str, Any], path: str, value: object) -> None:
    """Put a value where its path leads; a number in a path is a place in a list of objects."""
    head, _, rest = path.partition(".")
    if not rest:
        arguments[head] = value
        return
    place, _, below = rest.partition(".")
    if place.isdigit():
        entries = arguments.setdefault(head, [])
        entries.extend({"name": "N"} for _ in range(int(place) + 1 - len(entries)))
        _set(entries[int(place)], below, value)
    else:
        _set(arguments.setdefault(head, {}), rest, value)


def _right(item: ToolItem) -> Mapping[str, Any]:
    """Return the message that answers an item as it wants."""
    calls = []
    for place, want in enumerate(item.wanted):
        arguments: dict[str, Any] = {}
        for path, accepted in want.arguments.items():
            _set(arguments, path, accepted[0])
        function = {"name": want.name, "arguments": json.dumps(arguments)}
        calls.append({"id": f"c{place}", "type": "function", "function": function})
    if calls:
        return {"role": "assistant", "content": None, "tool_calls": calls}
    return {"role": "assistant", "content": f"So it is: {item.says[0] if item.says else 'goodbye'}."}


def _whole(message: Mapping[str, Any], finish: str) -> bytes:
    return json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": finish}]}).encode()


def _stream(message: Mapping[str, Any], finish: str) -> bytes:
    """Return the message as engines stream it: id and name first, arguments in parts, the finish in an own chunk."""
    deltas: list[Mapping[str, Any]] = [{"role": "assistant", "content": message["content"]}]
    for place, call in enumerate(message.get("tool_calls", ())):
        text = call["function"]["arguments"]
        start = {"name": call["function"]["name"], "arguments": ""}
        deltas.append({"tool_calls": [{"index": place, "id": call["id"], "type": "function", "function": start}]})
        parts = [text[at : at + _PART] for at in range(0, len(text), _PART)]
        deltas += [{"tool_calls": [{"index": place, "function": {"arguments": part}}]} for part in parts]
    chunks = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    chunks.append({"index": 0, "delta": {}, "finish_reason": finish})
    events = [f"data: {json.dumps({'choices': [chunk]})}\n\n" for chunk in chunks]
    return "".join([*events, "data: [DONE]\n\n"]).encode()


@pytest.mark.parametrize("item", BATTERY, ids=lambda item: item.id)
@pytest.mark.parametrize("stream", [False, True])
def test_every_question_has_a_right_answer(item: ToolItem, *, stream: bool) -> None:
    finish = "tool_calls" if item.wanted else "stop"
    body = (_stream if stream else _whole)(_right(item), finish)
    result = judge_reply(item, read_reply(body, stream=stream))
    assert result.state is ItemState.PASS, result.why
    assert result.calls is bool(item.wanted)


@pytest.mark.parametrize("item", [item for item in BATTERY if item.wanted], ids=lambda item: item.id)
def test_a_stream_that_was_cut_anywhere_is_never_right(item: ToolItem) -> None:
    """A broken connection, or a server that died: what arrived may look like a call."""
    body = _stream(_right(item), "tool_calls")
    last = body.rindex(b'data: {"choices": [{"index": 0, "delta": {}')
    for end in range(0, last, 5):
        assert judge_reply(item, read_reply(body[:end], stream=True)).state is ItemState.FAIL, body[:end]


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"[]", b"null", b"data: 1\n\n", b"data: {\n\n", b'{"choices": []}', b'{"choices": [7]}', b"\xff\x00"],
)
@pytest.mark.parametrize("stream", [False, True])
def test_what_is_no_answer_says_so_and_raises_nothing(body: bytes, *, stream: bool) -> None:
    result = judge_reply(BATTERY[0], read_reply(body, stream=stream))
    assert result.state is ItemState.FAIL
    assert result.why


def test_an_error_inside_a_stream_is_told() -> None:
    body = b'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\ndata: {"error":{"message":"out of memory"}}\n\n'
    assert "out of memory" in read_reply(body, stream=True).error


def test_the_stream_of_a_real_vllm_is_put_together() -> None:
    """Every chunk of it brings further fields, and the arguments come in pieces."""
    reply = read_reply(shared("samples/engines/vllm-0.33-chat-stream-tools.sse").read_bytes(), stream=True)
    assert reply.calls == (Call(id="chatcmpl-tool-1a2b", name="get_weather", arguments='{"city": "Paris"}'),)
    assert reply.finish == "tool_calls"


def test_plain_text_of_a_real_llamacpp_is_no_call() -> None:
    """SmolLM2 goes on in words and is cut at the limit: neither is a right answer to a question that wants a call."""
    body = shared("samples/llamacpp/tools_call.http").read_bytes().partition(b"\r\n\r\n")[2]
    reply = read_reply(body, stream=False)
    assert not reply.calls
    assert reply.text.startswith("Oslo")
    assert judge_reply(BATTERY[0], reply).why.startswith("cut off at the limit")


def test_an_object_in_the_place_of_its_text_is_taken() -> None:
    call = {"function": {"name": "get_weather", "arguments": {"city": "Oslo"}}}
    reply = read_reply(_whole({"content": "", "tool_calls": [call]}, "tool_calls"), stream=False)
    assert judge_reply(BATTERY[0], reply).state is ItemState.PASS


def test_questions_have_names_of_their_own_and_offer_what_they_want() -> None:
    assert len({item.id for item in BATTERY}) == len(BATTERY)
    for item in BATTERY:
        assert set(item.tools) <= set(TOOLS)
        assert {want.name for want in item.wanted} <= set(item.tools)
        assert len(set(item.tools)) == len(item.tools)


@pytest.mark.parametrize("name", TOOLS)
def test_schemas_have_no_words_that_nobody_checks(name: str) -> None:
    """A word that ``misfit`` does not know would let wrong arguments through."""
    assert not _unknown_words(TOOLS[name][1])


def _unknown_words(schema: Mapping[str, Any]) -> Sequence[str]:
    below = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    return [word for word in schema if word not in KNOWN_WORDS] + [
        word for part in below for word in _unknown_words(part)
    ]


@pytest.mark.parametrize(
    ("value", "schema", "words"),
    [
        (3, {"type": "integer", "minimum": 1, "maximum": 5}, ""),
        (3.0, {"type": "integer"}, ""),
        (3.5, {"type": "integer"}, "is no integer"),
        (0, {"type": "integer", "minimum": 1}, "below 1"),
        (9, {"type": "number", "maximum": 5}, "above 5"),
        (True, {"type": "integer"}, "is no integer"),
        (None, {"type": "string"}, "is no string"),
        ([], {"type": "array", "minItems": 1}, "0 entries"),
        (["a", 1], {"type": "array", "items": {"type": "string"}}, "arguments[1]: 1 is no string"),
        ({"a": {"b": 1}}, {"properties": {"a": {"properties": {"b": {"type": "string"}}}}}, "arguments.a.b"),
    ],
)
def test_a_value_fits_its_schema_or_the_place_is_named(value: object, schema: dict[str, Any], words: str) -> None:
    found = misfit(value, schema)
    assert words in found
    assert bool(found) is bool(words)


@pytest.mark.parametrize("index", [[1], {"a": 1}, "0", None, 1.5], ids=str)
@pytest.mark.parametrize("stream", [False, True])
def test_a_call_with_an_odd_index_is_read(index: object, *, stream: bool) -> None:
    message = {"tool_calls": [{"index": index, "function": {"name": "f", "arguments": "{}"}}]}
    chunk = json.dumps({"choices": [{"delta": message}]}).encode()
    body = b"data: %b\n\n" % chunk if stream else _whole(message, "tool_calls")

    assert [call.name for call in read_reply(body, stream=stream).calls] == ["f"]


@pytest.mark.parametrize("depth", [100, 450, 700, 900, 950, 990])
def test_arguments_just_within_what_can_be_read_raise_nothing(depth: int) -> None:
    deep = b'{"a":' * depth + b"1" + b"}" * depth
    body = b'{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":%b}}]}}]}' % deep

    assert len(read_reply(body, stream=False).calls) in {0, 1}


def test_only_the_first_choice_is_read() -> None:
    """One was asked for; the words of two mixed would be neither."""
    chunks = [{"choices": [{"index": number % 2, "delta": {"content": "ab"[number % 2]}}]} for number in range(6)]
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode()

    assert read_reply(body, stream=True).text == "aaa"

"""Answers of a node that nobody vouches for: they are what was agreed on, or they are refused with a reason."""

import json
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.io.transport.wire import (
    AgentRefused,
    Hello,
    NotTheAgent,
    Tick,
    decode_answer,
    decode_part,
    encode_read,
    encode_request,
    readings_of,
)
from sparktune.model.observed import absent, present, unreadable
from sparktune.model.reads import (
    CommandOutput,
    FileStat,
    Read,
    ReadCommand,
    ReadFile,
    ReadFiles,
    ReadLinks,
    ReadNames,
    ReadStats,
)

_READS: tuple[Read, ...] = (
    ReadFile(path="/a"),
    ReadFiles(pattern="/f/*"),
    ReadLinks(pattern="/l/*"),
    ReadNames(pattern="/n/*"),
    ReadCommand(argv=("uname", "-a")),
    ReadStats(pattern="/s/*"),
)
_RESULTS: tuple[dict[str, Any], ...] = (
    {"state": "present", "value": "text"},
    {
        "state": "present",
        "value": {
            "/f/1": {"state": "present", "value": "one"},
            "/f/2": {"state": "unreadable", "why": "needs root"},
        },
        "why": "more than 2 files match",
    },
    {"state": "present", "value": {"/l/1": "../target"}},
    {"state": "present", "value": ["/n/1", "/n/2"]},
    {"state": "present", "value": {"stdout": "Linux", "stderr": "", "code": 0}},
    {"state": "present", "value": {"/s/1": {"size": 5, "mtime_ns": 7}}},
)
_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
_KEYS = st.sampled_from(["id", "part", "ok", "error", "index", "state", "value", "why", "kind", "message", "code"])


def _raw(index: int, result: dict[str, Any]) -> msgspec.Raw:
    return msgspec.Raw(json.dumps({"index": index, **result}).encode())


def test_results_become_readings_in_whatever_order_they_come() -> None:
    readings = readings_of(_READS, [_raw(index, _RESULTS[index]) for index in (4, 2, 5, 0, 1, 3)])

    assert readings.file("/a") == present("text")
    assert readings.matching("/f/*") == {"/f/1": present("one"), "/f/2": unreadable("needs root")}
    assert readings.links == {"/l/*": {"/l/1": "../target"}}
    assert readings.names == {"/n/*": ("/n/1", "/n/2")}
    assert readings.command("uname", "-a") == present(CommandOutput(stdout="Linux", stderr="", code=0))
    assert readings.stats == {"/s/*": {"/s/1": FileStat(size=5, mtime_ns=7)}}
    assert readings.unread == {"/f/*": "more than 2 files match"}


def test_what_was_not_read_is_not_what_does_not_exist() -> None:
    gone, locked = {"state": "absent"}, {"state": "unreadable", "why": "needs root"}
    reads = (*_READS, ReadFile(path="/b"))

    readings = readings_of(reads, [_raw(index, gone if index == 0 else locked) for index in range(len(reads))])

    assert readings.file("/a") == absent()
    assert readings.file("/b") == unreadable("needs root")
    assert readings.command("uname", "-a") == unreadable("needs root")
    assert readings.matching("/f/*") == {}
    assert readings.unread == {"/f/*": "needs root", "/l/*": "needs root", "/n/*": "needs root", "/s/*": "needs root"}


@pytest.mark.parametrize(
    "indexes", [(0, 1, 2, 3, 4), (0, 1, 2, 3, 4, 4), (0, 1, 2, 3, 4, 5, 5), (1, 2, 3, 4, 5, 6), ()], ids=repr
)
def test_each_read_is_answered_once(indexes: tuple[int, ...]) -> None:
    parts = [_raw(index, _RESULTS[index % len(_RESULTS)]) for index in indexes]

    with pytest.raises(NotTheAgent):
        readings_of(_READS, parts)


@pytest.mark.parametrize(
    ("index", "result"),
    [
        (0, {"state": "present"}),
        (0, {"state": "present", "value": 5}),
        (0, {"state": "perhaps", "value": "text"}),
        (0, {"state": "present", "value": "text", "extra": 1}),
        (1, {"state": "present", "value": ["/f/1"]}),
        (2, {"state": "present", "value": {"/l/1": None}}),
        (3, {"state": "present", "value": {"/n/1": "x"}}),
        (4, {"state": "present", "value": "Linux"}),
        (4, {"state": "present", "value": {"stdout": "", "stderr": "", "code": "0"}}),
        (5, {"state": "present", "value": {"/s/1": {"size": -1, "mtime_ns": 7}}}),
        (5, {"state": "present", "value": {"/s/1": {"size": 5}}}),
    ],
)
def test_a_value_of_another_kind_is_refused(index: int, result: dict[str, Any]) -> None:
    parts = [_raw(place, result if place == index else _RESULTS[place]) for place in range(len(_READS))]

    with pytest.raises(NotTheAgent):
        readings_of(_READS, parts)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff\xfe",
        b"Welcome to Ubuntu",
        b"[]",
        b"null",
        b'{"id":1}',
        b'{"id":1,"part":{},"ok":{}}',
        b'{"id":2,"ok":{}}',
        b'{"id":-1,"ok":{}}',
        b'{"id":1,"ok":{},"more":1}',
        b'{"id":1,"ok":{}',
        b'{"id":1e999,"ok":{}}',
        b"[" * 100_000,
        b'{"id":1,"part":' + b"[" * 100_000,
    ],
    ids=lambda line: repr(line[:20]),
)
def test_a_line_that_is_no_answer_is_refused(line: bytes) -> None:
    with pytest.raises(NotTheAgent):
        decode_answer(line, 1)


def test_an_error_of_the_agent_is_its_own_kind_of_error() -> None:
    with pytest.raises(AgentRefused, match="verb: there is no verb"):
        decode_answer(b'{"id":1,"error":{"kind":"verb","message":"there is no verb"}}', 1)


def test_answers_to_what_nobody_waits_for_any_more_are_recognised() -> None:
    late = decode_answer(b'{"id":1,"part":{}}', 2, {1})
    end = decode_answer(b'{"id":1,"error":{"kind":"internal","message":"x"}}', 2, {1})

    assert (late.id, late.last) == (1, False)
    assert (end.id, end.last) == (1, True)


@given(
    st.binary(max_size=200)
    | st.dictionaries(_KEYS, _ANYTHING, max_size=5).map(lambda value: json.dumps(value).encode())
)
def test_any_line_is_an_answer_or_refused(line: bytes) -> None:
    with suppress(NotTheAgent, AgentRefused):
        assert decode_answer(line, 1).id == 1


@given(
    st.lists(
        st.binary(max_size=60)
        | st.dictionaries(_KEYS, _ANYTHING, max_size=5).map(lambda value: json.dumps(value).encode()),
        max_size=6,
    )
)
def test_any_parts_are_readings_or_refused(parts: list[bytes]) -> None:
    with suppress(NotTheAgent):
        assert readings_of(_READS, [msgspec.Raw(part) for part in parts]).files


@given(st.data())
def test_a_damaged_answer_is_readings_or_refused(data: st.DataObject) -> None:
    """One byte off, anywhere, as a hostile or broken node would have it."""
    place = data.draw(st.integers(0, len(_READS) - 1))
    whole = bytes(_raw(place, _RESULTS[place]))
    spot = data.draw(st.integers(0, len(whole) - 1))
    damaged = whole[:spot] + data.draw(st.binary(max_size=3)) + whole[spot + data.draw(st.integers(0, 2)) :]
    parts = [msgspec.Raw(damaged) if index == place else _raw(index, _RESULTS[index]) for index in range(len(_READS))]
    try:
        readings = readings_of(_READS, parts)
    except NotTheAgent:
        return
    for text in (readings.file("/a").value or "", *readings.names["/n/*"], *readings.unread.values()):
        text.encode()  # text that cannot be printed would fail here


def test_half_a_character_is_refused() -> None:
    """JSON can write one half of a pair, which nothing can print."""
    with pytest.raises(NotTheAgent):
        decode_part(msgspec.Raw(b'"\\ud800"'), str)


def test_a_request_is_one_line() -> None:
    line = encode_request(7, "observe", reads=[encode_read(ReadFile(path="/a\nb", most_bytes=5))])

    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == {
        "id": 7,
        "verb": "observe",
        "reads": [{"kind": "file", "path": "/a\nb", "most_bytes": 5}],
    }


def test_hello_and_ticks_are_decoded() -> None:
    hello = {
        "protocol": 1,
        "boot_id": "b",
        "hostname": "h",
        "uid": None,
        "python": "3.12.3",
        "monotonic_ns": 5,
        "wall_ns": 6,
    }
    tick = {"tick": 0, "monotonic_ns": 5, "wall_ns": 6, "missed": 0, "changed": {"/a": "x"}, "gone": ["/b"]}

    assert decode_part(msgspec.Raw(json.dumps(hello).encode()), Hello).uid is None
    assert decode_part(msgspec.Raw(json.dumps(tick).encode()), Tick).gone == ("/b",)

"""A log is the same whatever the pieces in which it comes, and any bytes are one."""

import json
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.log_texts import scan_text
from tests.support.scanned import REFERENCE_S, known, read

from sparktune.logs.scan import LogScan

pytestmark = pytest.mark.usefixtures("own_messages")


def test_neighbours_that_come_in_other_pieces() -> None:
    reader = LogScan("x")
    for piece in (b"before\n", b"ERROR 11-14 14:26:16 [a.py:1] boom\n", b"af", b"ter\n"):
        reader.feed(piece)
    assert [line.text for line in reader.result().events[0].around] == ["before", "boom", "after"]


def test_words_within_json_and_colours_are_found() -> None:
    for text in ("\x1b[31mERROR\x1b[0m:  Broken \x1b[1mpipe", json.dumps({"log": 'ERROR:  "x" Broken pipe\n'})):
        assert known(read(f"{text}\n")) == [("peer-gone", 1, 1, 1)]


def test_a_very_long_line_and_its_last_state() -> None:
    bar = b"".join(b"Loading: %d%%|\r" % (n % 100) for n in range(100_000)) + b"Broken pipe"
    for size in (1000, 100_000, len(bar)):
        reader = LogScan("x")
        for at in range(0, len(bar), size):
            reader.feed(bar[at : at + size])
        log = reader.result()
        assert (log.lines, known(log)) == (1, [("peer-gone", 1, 1, 1)])


def test_the_result_stays_the_same() -> None:
    reader = LogScan("x")
    reader.feed(b"Broken pipe")
    assert reader.result() is reader.result()


def test_an_empty_log() -> None:
    log = scan_text("", "x")
    assert (log.lines, log.events, log.facts, log.first_s) == (0, (), (), None)


_LINES = st.sampled_from(
    (
        b"ERROR 11-14 14:26:16 [a.py:1] boom\n",
        b"(EngineCore pid=9) ERROR 11-14 14:26:16 [core.py:842] Traceback (most recent call last):\n",
        b'(EngineCore pid=9) ERROR 11-14 14:26:16 [core.py:842]   File "/a.py", line 1, in f\n',
        b"(EngineCore pid=9) ERROR 11-14 14:26:16 [core.py:842] ValueError: Free memory low\n",
        b"Traceback (most recent call last):\n",
        b"    f()\n",
        b"KeyError: 'x'\r\n",
        b"Loading: 10%|\rLoading: 20%|\rBroken pipe\n",
        b"\x1b[31mBroken pipe\x1b[0m\n",
        b"non-default args: {'max_num_seqs': 8}\n",
        b'{"log":"KV cache size: 7 tokens\\n","time":"2026-11-14T14:26:16Z"}\n',
        b"Avg generation throughput: 7.5 tokens/s\n",
        b"2026-11-14 14:26:17,250 - x - INFO - plain\n",
        b"plain\n",
        b"\n",
    )
)


_LOGS = st.lists(st.one_of(_LINES, _LINES, _LINES, st.binary(max_size=40)), max_size=40).map(b"".join)


@given(_LOGS, st.lists(st.integers(min_value=0, max_value=400), max_size=6))
@example(b"\x1b[", [1])
def test_where_it_is_cut_makes_no_difference(data: bytes, cuts: list[int]) -> None:
    whole, parts = LogScan("x", reference_s=REFERENCE_S), LogScan("x", reference_s=REFERENCE_S)
    whole.feed(data)
    for piece in _pieces(data, cuts):
        parts.feed(piece)
    assert parts.result() == whole.result()


def _pieces(data: bytes, cuts: list[int]) -> Iterator[bytes]:
    places = [0, *sorted(cuts), len(data)]
    yield from (data[begin:end] for begin, end in pairwise(places) if begin < len(data))


@given(st.binary(max_size=2000))
def test_any_bytes_are_read(data: bytes) -> None:
    reader = LogScan("x")
    reader.feed(data)
    log = reader.result()
    assert log.lines == data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
    json.dumps([event.first.text for event in log.events]).encode("utf-8")

"""The summary of a recording: what is in the file, and everything that is not."""

import pytest
from tests.support.schemas import promised

from sparktune.bench.traffic.recorder import Tally
from sparktune.report.record import RecordReport, record_json, record_lines

_FULL = Tally(requests=4, sessions=2, input_tokens=400, output_tokens=80, shared_tokens=200)

_UNTOLD = "the server does not tell what it took from its cache"


def _lines(tally: Tally, *, connections: int = 3, cut_off: int = 0, broken: str = "") -> list[str]:
    return record_lines(_report(tally, connections=connections, cut_off=cut_off, broken=broken))


def _report(tally: Tally, *, connections: int = 3, cut_off: int = 0, broken: str = "") -> RecordReport:
    return RecordReport(
        file="t.jsonl",
        endpoint="http://box:8000/v1",
        tally=tally,
        took_s=61.0,
        connections=connections,
        cut_off=cut_off,
        broken=broken,
    )


def test_a_whole_recording_and_the_next_step() -> None:
    assert _lines(_FULL) == [
        "4 requests of 2 conversations in 1 min 01 s: t.jsonl",
        "  on average 100 prompt and 20 output tokens; all lengths as the server told them",
        "  50 % of the prompt tokens repeat the beginning of an earlier prompt; " + _UNTOLD,
        "replay it: sparktune bench http://box:8000/v1 --workload t.jsonl",
    ]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"estimated": 3}, "lengths of 3 of 4 requests are estimated"),
        ({"estimated": 3}, "include_usage"),
        ({"cached_tokens": 30, "cached_of_tokens": 300}, "the server took 10 % from its cache"),
        ({"failed": 1}, "1 request failed (status 400 or more): a replay leaves them out"),
        ({"cut_short": 2}, "2 answers ended early"),
        ({"unwritten": 5}, "which could not be written: 5 requests"),
        ({"missed": {"its body is no JSON": 2}}, "not recorded as they were: 2 (its body is no JSON)"),
        ({"forgotten": 9}, "memory was bounded"),
    ],
)
def test_what_is_missing_is_said(changes: dict[str, object], words: str) -> None:
    tally = Tally(requests=4, sessions=2, input_tokens=400, output_tokens=80, shared_tokens=200, **changes)  # type: ignore[arg-type]

    assert any(words in line for line in _lines(tally)), _lines(tally)


@pytest.mark.parametrize(
    ("tally", "connections", "broken", "words"),
    [
        (Tally(), 0, "", "no client connected"),
        (Tally(others=2), 1, "", "1 connection, and no request on them that makes a model write"),
        (Tally(missed={"it has no prompt": 1}), 1, "", "see below"),
        (Tally(), 1, "it ended by itself", "the recording process failed (it ended by itself)"),
    ],
)
def test_nothing_has_a_reason_and_no_replay(tally: Tally, connections: int, broken: str, words: str) -> None:
    lines = _lines(tally, connections=connections, broken=broken)

    assert any(words in line for line in lines), lines
    assert not any("replay it" in line for line in lines)


def test_connections_that_were_cut_off_are_said() -> None:
    assert "2 connections had not finished and were cut off" in _lines(_FULL, cut_off=2)


def test_json_has_the_same() -> None:
    record = promised("record", record_json(_report(_FULL)))

    assert {"schema": 1, "file": "t.jsonl", "requests": 4, "broken": None, "missed": {}}.items() <= record.items()

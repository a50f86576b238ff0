"""Lists of runs, and the raw export."""

import base64
import json

from hypothesis import given
from hypothesis import strategies as st
from tests.support.stored import make_request, make_run, make_trial, raw_trials

from sparktune.model.raw import RawTrial
from sparktune.model.run import RunState
from sparktune.model.run_row import RunRow
from sparktune.report.bench.raw import raw_lines
from sparktune.report.runs import runs_json, runs_text

_ROWS = (
    RunRow(
        id="261129-175016-k3f",
        created_wall_s=1_795_974_616.0,
        base_url="http://spark-a:8000/v1",
        model="example/a-model-with-a-long-name",
        engine="vllm",
        state=RunState.DONE,
        cells=12,
        waves=60,
        valid=11,
    ),
    RunRow(
        id="261128-080000-aaa",
        created_wall_s=1_795_852_800.0,
        base_url="http://spark-a:8000/v1",
        model="bad\x1b[31mname",
        engine="llamacpp",
        state=RunState.INTERRUPTED,
        cells=1,
        waves=2,
        valid=None,
    ),
)


def _no_constant(name: str) -> float:
    raise AssertionError(name)


def test_a_list_has_a_line_per_run() -> None:
    lines = runs_text(_ROWS, width=120).splitlines()

    assert lines[0].split() == ["run", "state", "cells", "valid", "waves", "engine", "model", "endpoint"]
    assert lines[1].split()[:5] == ["261129-175016-k3f", "done", "12", "11", "60"]
    assert lines[2].split()[:5] == ["261128-080000-aaa", "interrupted", "1", "unknown", "2"]
    assert "\x1b" not in "".join(lines)


def test_a_list_fits_a_terminal_of_eighty_columns() -> None:
    """A line per run; names that do not fit are cut in the middle, since they differ at both ends."""
    lines = runs_text(_ROWS, width=80).splitlines()

    assert len(lines) == 1 + len(_ROWS)
    assert max(map(len, lines)) <= 80
    assert lines[1].split()[-2:] == ["exam…-name", "spar…00/v1"]
    assert lines[2].split()[-2:] == ["bad\\…mname", "spar…00/v1"]


def test_a_list_cuts_nothing_that_fits() -> None:
    assert "example/a-model-with-a-long-name http://spark-a:8000/v1" in runs_text(_ROWS, width=140)


def test_a_list_in_json_explains_its_nulls() -> None:
    record = json.loads(runs_json(_ROWS))

    assert record["schema"] == 1
    assert [run["run"] for run in record["runs"]] == ["261129-175016-k3f", "261128-080000-aaa"]
    assert record["runs"][0]["created"] == "2026-11-29 17:50:16Z"
    assert record["runs"][1]["valid"] is None
    assert record["runs"][1]["why"]


@given(st.lists(raw_trials(), max_size=2))
def test_raw_lines_hold_every_byte_and_instant(trials: list[RawTrial]) -> None:
    lines = [json.loads(line, parse_constant=_no_constant) for line in raw_lines(make_run(), trials)]

    assert lines[0]["type"] == "run"
    assert [line["type"] for line in lines[1:]].count("wave") == len(trials)
    sent = [request for raw in trials for request in raw.requests]
    told = [line for line in lines if line["type"] == "request"]
    for line, request in zip(told, sent, strict=True):
        recording = request.recording
        data = line["data"].encode() if "data" in line else base64.b64decode(line["data_base64"])
        assert data == recording.data
        assert line["read_ends"] == list(recording.read_ends)
        assert line["arrival_ns"] == list(recording.arrival_ns)
        assert line["woke_ns"] == list(recording.woke_ns)


def test_text_stays_readable_and_bytes_stay_exact() -> None:
    requests = (make_request(0, data="data: café\n\n".encode()), make_request(1, data=b"\xff\x00"))
    _, _, text, binary = (json.loads(line) for line in raw_lines(make_run(), [make_trial(requests=requests)]))

    assert text["data"] == "data: café\n\n"
    assert binary["data_base64"] == "/wA="

"""Which visit's memory is drawn, and what of it is told in words and as JSON."""

import json
from dataclasses import replace

from tests.support.experiments import CELLS, experiment, visit
from tests.support.guarded import memory, trip

from sparktune.experiment.conclude import conclude
from sparktune.experiment.design import Arm
from sparktune.experiment.memory_curve import curve_of
from sparktune.experiment.plan import VisitState
from sparktune.experiment.result import ExperimentResult
from sparktune.experiment.verdict import Verdict
from sparktune.report.ab.json import result_json
from sparktune.report.ab.text import result_text
from sparktune.report.experiment.html import experiment_page
from sparktune.report.experiment.material import Material
from sparktune.report.experiment.memory_view import memory_view

_VALUES = {CELLS[0]: {"output_tok_s": (10.0, 10.1, 9.9)}}


def _result(*, stopped: bool) -> ExperimentResult:
    """Block 1: A left 4 GiB, B left 8, and was stopped or not."""
    a, b = visit(1, Arm.A, _VALUES), visit(1, Arm.B, _VALUES, place=1)
    if stopped:
        record = replace(b.record, state=VisitState.STOPPED, why="memory-floor", trip=trip("8 GiB"))
        b = replace(b, record=record, result=None)
    b = replace(b, record=replace(b.record, unwatched=("spark1: not watched by swap-io: no /proc/vmstat",)))
    result = conclude(experiment(cells=CELLS[:1]), (a, b), (), {}, lambda: 0.0)
    curves = [curve_of("spark1", memory(20, low, 15), visit=(1, 1, place)) for place, low in ((0, 4), (1, 8))]
    return replace(result, curves=tuple(curve for curve in curves if curve is not None))


def test_the_visit_that_was_stopped_is_drawn_and_marked() -> None:
    shown = memory_view(_result(stopped=True))

    assert shown is not None
    assert shown.visit == "block 1, arm B"
    assert shown.floor == 3 * 2**30
    assert shown.lanes[0].stopped == "memory-floor: 8 GiB"


def test_else_the_one_that_left_the_least() -> None:
    shown = memory_view(_result(stopped=False))

    assert shown is not None
    assert shown.visit == "block 1, arm A"
    assert [at for at, _ in shown.lanes[0].points] == [0.0, 1.0, 2.0]


def test_nothing_is_drawn_where_nobody_watched() -> None:
    result = replace(_result(stopped=False), curves=())

    assert memory_view(result) is None
    assert "Available memory" not in experiment_page(Material(result=result))


def test_what_stopped_it_and_who_was_blind_is_told_everywhere() -> None:
    result = _result(stopped=True)
    text, record = result_text(result), json.loads(result_json(result))

    assert result.verdict is Verdict.STOPPED
    assert "stopped by memory-floor on spark1, block 1, arm B: 8 GiB" in text
    assert "memory of spark1 (2 visits): 4.0 GiB left at least; 16.0 GiB between most and least" in text
    assert "guards: spark1: not watched by swap-io: no /proc/vmstat" in text
    assert "next: use less" in text
    assert record["trips"][0]["guard"] == "memory-floor"
    assert record["unwatched"] == ["spark1: not watched by swap-io: no /proc/vmstat"]
    assert [visit["memory"][0]["swing_bytes"] for visit in record["visits"]] == [16 * 2**30, 12 * 2**30]
    page = experiment_page(Material(result=result))
    assert "Available memory during block 1, arm B" in page
    assert "spark1 had 4.0 GiB available at least, 16.0 GiB less than most" in page

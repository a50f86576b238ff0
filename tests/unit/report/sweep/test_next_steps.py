"""A sweep without a winner has cost hours too: each way to end so names what to do then."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.support.swept import none

from sparktune.experiment.sweep_result import SweepResult
from sparktune.model.sweep import BASELINE, Stage, Standing, SweepVisit, VisitEnd
from sparktune.report.sweep.html import sweep_page
from sparktune.report.sweep.text import result_text
from sparktune.report.sweep.words import next_steps


def _standing(standing: Standing, *, visited: bool = True) -> Callable[[SweepResult], SweepResult]:
    """Return what gives every candidate this standing."""

    def changed(result: SweepResult) -> SweepResult:
        stage = Stage.SCREEN if visited else None
        known = tuple(
            one if one.candidate.key == BASELINE else replace(one, standing=standing, stage=stage)
            for one in result.known
        )
        return replace(result, known=known)

    return changed


def _broken(result: SweepResult) -> SweepResult:
    failed = SweepVisit(number=1, stage=Stage.SCREEN, block=0, key=BASELINE, end=VisitEnd.INFEASIBLE, why="no memory")
    return replace(result, visits=(failed,), known=())


def _nothing_visited(result: SweepResult) -> SweepResult:
    return replace(result, visits=(), known=())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_standing(Standing.OUT), "keep what runs now, or sweep other knobs or values: sparktune knobs list"),
        (_standing(Standing.INFEASIBLE), "keep what runs now, and try values that run: none of these did"),
        (_standing(Standing.INFEASIBLE, visited=False), "keep what runs now, and try values that run"),
        (_standing(Standing.UNKNOWN), "keep what runs now, and try values that run"),
        (
            _standing(Standing.UNFIT),
            "keep what runs now, or sweep again with another constraint than ttft_max_s<=8",
        ),
        (
            _standing(Standing.OUT, visited=False),
            "sweep again with a longer --budget than 3 h 00 min: 3 values not visited",
        ),
        (_nothing_visited, "sweep again with a longer --budget than 3 h 00 min: not even what runs now was visited"),
        (_broken, "first make what runs now run, and be measured, as it is"),
    ],
    ids=["not better", "none ran", "none was tried", "all void", "beyond", "unvisited", "no visit", "baseline"],
)
def test_no_winner_names_the_next_step(change: Callable[[SweepResult], SweepResult], words: str) -> None:
    result = change(none())
    told = [line for line in result_text(result).splitlines() if line.startswith("next: ")]

    assert told[0].startswith(f"next: {words}")
    assert told[1:] == ["next: sparktune sweep report 261130-090000-xyz"]


def test_a_page_does_not_send_its_reader_to_itself() -> None:
    page = sweep_page(none())

    assert "Next: <code>keep what runs now" in page
    assert "Next: <code>sparktune sweep report" not in page
    assert next_steps(none())[-1] == "sparktune sweep report 261130-090000-xyz"

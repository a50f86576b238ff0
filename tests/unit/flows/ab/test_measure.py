"""A trial that stands apart is kept, and answered by one more trial in both arms of its block."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.experiments import CELLS, experiment, run_result
from tests.support.held import FakeHold, fake_tools

from sparktune.experiment.design import Arm, Block
from sparktune.flows.ab import measure as ab_measure
from sparktune.flows.ab.measure import Measured, measure_visit
from sparktune.flows.bench.load_watch import Unobserved
from sparktune.model.result import RunResult
from sparktune.model.run import Run

ONE, TWO = CELLS
CALM, APART = (100.0, 101.0, 99.0), (100.0, 101.0, 50.0)
BLOCK = Block(number=1, visits=(Arm.A, Arm.B), cells=(1, 0))


def _result(one: Sequence[float], two: Sequence[float]) -> RunResult:
    return run_result({ONE: {"output_tok_s": one}, TWO: {"output_tok_s": two}})


def _measure(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    result: RunResult,
    owed: Mapping[str, int],
    earlier: Sequence[RunResult] = (),
) -> tuple[Measured, list[tuple[str, int]]]:
    """Return what a visit with this result came to, and every cell that was sent with its trials, call by call."""
    sent: list[tuple[str, int]] = []
    tools = fake_tools(folder, FakeHold())
    began: list[Run] = []

    @asynccontextmanager
    async def opened(order: object, store: object, progress: object) -> AsyncIterator[tuple[object, Run]]:
        del store, progress
        yield object(), replace(result.run, workload=order.workload)  # type: ignore[attr-defined]

    async def measured(bench: object, run: Run) -> None:
        del bench
        assert began
        sent.extend((cell.label, run.workload.trials) for cell in run.workload.cells)

    monkeypatch.setattr(ab_measure, "open_bench", opened)
    monkeypatch.setattr(ab_measure, "run_bench", measured)
    monkeypatch.setattr(ab_measure, "rebuild", lambda *_: result)
    tools.store.create_run(result.run)
    plan = experiment()
    visit = measure_visit(tools, plan, BLOCK, owed=owed, earlier=earlier, began=began.append, watch=Unobserved())
    return asyncio.run(visit), sent


def test_cells_are_sent_in_the_order_of_the_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured, sent = _measure(tmp_path, monkeypatch, _result(CALM, CALM), {})
    assert sent == [(TWO.label, 3), (ONE.label, 3)]
    assert measured.owed == {}


def test_one_that_stands_apart_gets_one_more_in_its_cell_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured, sent = _measure(tmp_path, monkeypatch, _result(APART, CALM), {})
    assert sent[2:] == [(ONE.label, 4)]
    assert measured.owed == {ONE.label: 1}


def test_the_other_visit_of_the_block_gets_as_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More trials in the arm that looked bad alone would be a second chance for it."""
    _, sent = _measure(tmp_path, monkeypatch, _result(CALM, CALM), {TWO.label: 1})
    assert sent[2:] == [(TWO.label, 4)]


def test_what_is_owed_and_what_is_new_are_not_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured, sent = _measure(tmp_path, monkeypatch, _result(APART, CALM), {ONE.label: 1, TWO.label: 2})
    assert sent[2:] == [(ONE.label, 4), (TWO.label, 5)]
    assert measured.owed == {ONE.label: 1, TWO.label: 2}


def test_what_is_usual_here_does_not_stand_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine whose trials always differ by half, one that does is none of the outliers."""
    wild = [_result((100.0, 160.0, 60.0), CALM)] * 3
    measured, _ = _measure(tmp_path, monkeypatch, _result(APART, CALM), {}, wild)
    assert measured.owed == {}

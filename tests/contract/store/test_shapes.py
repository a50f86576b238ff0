"""Cells that differ in more than four numbers are kept apart, and older files, which have none, are brought along."""

import sqlite3
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest
from tests.support.results import make_cell_result, make_metric, make_result
from tests.support.stored import make_cell, make_run, make_trial

from sparktune.io.store import Store
from sparktune.model.arrival import Arrivals
from sparktune.model.cell import Cell
from sparktune.model.mix import Household, OwnPrompts, Replay
from sparktune.model.warmup import WarmupOutcome

_OLD = Path(__file__).parent / "version_1.sql"
_RUN = "250101-000000-old"
_PLAIN = Cell(prompt_tokens=4096, output_tokens=8, concurrency=2)
_CELLS = (
    _PLAIN,
    replace(_PLAIN, arrivals=Arrivals(stagger_s=1.5)),
    replace(_PLAIN, arrivals=Arrivals(rate_per_s=0.5)),
    Cell.of_household(
        Household(opening_tokens=10, turns=2, turn_tokens=10, reply_tokens=8, long_tokens=4096, long_reply_tokens=1)
    ),
    Cell(prompt_tokens=0, output_tokens=8, concurrency=2, prompts=OwnPrompts(name="a b", digest="00", count=2)),
    Cell(prompt_tokens=0, output_tokens=8, concurrency=2, prompts=OwnPrompts(name="a b", digest="01", count=2)),
    Cell(prompt_tokens=0, output_tokens=8, replay=Replay(name="a b", digest="01", count=2)),
    Cell(prompt_tokens=0, output_tokens=8, replay=Replay(name="a b", digest="01", count=2, time_scale=0.5)),
)

_STAGGERED = replace(_PLAIN, concurrency=1, arrivals=Arrivals(stagger_s=1.5))


def test_a_file_of_the_version_before_keeps_its_cells(tmp_path: Path) -> None:
    """People keep their runs over updates: warm-ups, results and waves of a cell of four numbers stay its own."""
    path = tmp_path / "runs.sqlite3"
    connection = sqlite3.connect(path)
    connection.executescript(_OLD.read_text())
    schema = resources.files("sparktune.io.store") / "schema"
    for name in ("0002_cell_results.sql", "0003_experiments.sql"):
        connection.executescript((schema / name).read_text(encoding="utf-8"))
    (cell,) = connection.execute("SELECT prompt_tokens, output_tokens, depth, concurrency FROM trials").fetchall()
    connection.execute("DELETE FROM warmups")
    connection.execute("INSERT INTO warmups VALUES (?, ?, ?, ?, ?, ?)", (_RUN, *cell, '{"waves": 3, "steady": true}'))
    connection.execute("INSERT INTO cell_results VALUES (?, ?, ?, ?, ?, 1, 5, 5, 0, '')", (_RUN, *cell))
    connection.execute("INSERT INTO cell_metrics VALUES (?, ?, ?, ?, ?, 'e2e_s', 's', 2.5, 5)", (_RUN, *cell))
    connection.execute("PRAGMA user_version = 3")
    connection.commit()
    connection.close()

    with Store.open(path) as store:
        run = store.load_run(_RUN)
        (raw,) = store.trials(_RUN)
        warmups = store.warmups(_RUN)
        usual_s = store.usual_wave_s(run.base_url, raw.cell)
        (row,) = store.list_runs(5)

    assert raw.cell.is_plain
    assert raw.requests[0].recording.planned_ns is None
    assert warmups == {raw.cell: WarmupOutcome(waves=3, steady=True)}
    assert usual_s == 2.5
    assert row.valid == 1


def test_cells_of_the_same_numbers_are_kept_apart(tmp_path: Path) -> None:
    with Store.open(tmp_path / "runs.sqlite3") as store:
        run = make_run(cells=_CELLS)
        store.create_run(run)
        for number, cell in enumerate(_CELLS):
            store.add_trial(run.id, make_trial(0, cell=cell))
            store.set_warmup(run.id, cell, WarmupOutcome(waves=number, steady=None))
        rows = [
            make_cell_result(cell=cell, metrics=(make_metric("wave_s", (float(number + 1),)),))
            for number, cell in enumerate(_CELLS)
        ]
        store.save_result_summary(make_result(cells=tuple(rows), run=run))

        assert [raw.cell for raw in store.trials(run.id)] == list(_CELLS)
        assert {cell: outcome.waves for cell, outcome in store.warmups(run.id).items()} == {
            cell: number for number, cell in enumerate(_CELLS)
        }
        assert [store.usual_wave_s(run.base_url, cell) for cell in _CELLS] == [number + 1.0 for number in range(8)]
        assert store.load_run(run.id).workload.cells == _CELLS


@pytest.mark.parametrize(
    ("cell", "counts"),
    [(make_cell(4096), True), (_CELLS[3], False), (_STAGGERED, False)],
    ids=["lone", "household", "staggered"],
)
def test_only_lone_cold_prompts_are_a_reference(tmp_path: Path, cell: Cell, *, counts: bool) -> None:
    """A rate in which turns found their prefix cached must not make a later, honest run look slow."""
    with Store.open(tmp_path / "runs.sqlite3") as store:
        run = make_run(cells=(cell,))
        store.create_run(run)
        rows = [make_cell_result(cell=cell, metrics=(make_metric("prefill_tok_s", (9e9,)),))]
        store.save_result_summary(make_result(cells=tuple(rows), run=run))

        found = store.cold_reference(run.base_url, run.workload.options.model)
    assert (found is not None) is counts

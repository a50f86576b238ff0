"""Whole reports, as people see them. ``SPARKTUNE_GOLDEN=write`` renews the files; read their diff before a commit."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.results import make_cell_result, make_check, make_metric, make_result, sample_result
from tests.support.stored import make_run

from sparktune.model.run import RunState
from sparktune.report.bench.forms import Form, render

_GOLDEN = Path(__file__).parents[1] / "golden"
_FORMS = [
    ("text-80.txt", Form.TEXT, 80, False),
    ("text-100.txt", Form.TEXT, 100, False),
    ("text-color.txt", Form.TEXT, 100, True),
    ("report.md", Form.MARKDOWN, 80, False),
    ("report.json", Form.JSON, 80, False),
    ("report.csv", Form.CSV, 80, False),
    ("benchy.json", Form.BENCHY, 80, False),
    ("benchy.csv", Form.BENCHY_CSV, 80, False),
]


def _compare(name: str, actual: str) -> None:
    path = _GOLDEN / name
    if os.environ.get("SPARKTUNE_GOLDEN") == "write":
        path.write_text(actual)
    assert actual == path.read_text()


@pytest.mark.parametrize(("name", "form", "width", "color"), _FORMS, ids=[name for name, *_ in _FORMS])
def test_reports_stay_as_they_were_read(name: str, form: Form, width: int, *, color: bool) -> None:
    _compare(name, render(sample_result(), form, width=width, color=color))


def test_a_good_run_is_short() -> None:
    """Most runs are fine: then the answer is the table and little else."""
    cell = make_cell_result(metrics=(make_metric("ttft_s", (0.2, 0.21)),), checks=(make_check(),))

    run = replace(make_run(cells=(cell.cell,)), state=RunState.DONE)

    _compare("text-good.txt", render(make_result(run=run, cells=(cell,)), Form.TEXT))

"""The page of one run: what can be used of it first, every cell, nothing from outside."""

import json
import re
from xml.etree import ElementTree as ET

import pytest
from tests.support import reported
from tests.support.results import make_cell_result, make_metric, make_result, sample_result
from tests.support.stored import make_cell, make_run

from sparktune.experiment.design import Arm
from sparktune.model.metric import MetricSummary
from sparktune.model.result import RunResult
from sparktune.report.charts.drawing import drawn
from sparktune.report.page.parts import WIDE
from sparktune.report.run.html import run_page
from sparktune.report.run.pictures import RunMaterial, choose_cell, run_drawings
from sparktune.report.svg.picture import as_file


def _grid() -> RunResult:
    positions = MetricSummary(
        name="acceptance_per_position",
        title="acceptance by position",
        unit="share",
        median=0.6,
        minimum=0.4,
        maximum=0.8,
        n=2,
        trials=3,
        per_trial=(0.6, 0.6, 0.6),
        by_position=(0.8, 0.4),
    )
    cells = [make_cell(prompt, concurrency=streams) for prompt in (512, 8192) for streams in (1, 4)]
    rows = [
        make_cell_result(
            cell=cell,
            metrics=(
                make_metric("output_tok_s", (80.0 * cell.concurrency,) * 3),
                make_metric("ttft_s", (0.1, 0.2, 0.3)),
                positions,
            ),
        )
        for cell in cells
    ]
    return make_result(cells=tuple(rows))


def test_the_first_word_says_what_can_be_used() -> None:
    page = run_page(RunMaterial(result=sample_result()))
    head = page[page.index("<header") : page.index("</header>")]

    assert "NOT ALL VALID" in head
    assert "3 of 5 cells valid" in head
    assert "it compares nothing" in head


def test_every_cell_is_in_the_page() -> None:
    result = sample_result()

    page = run_page(RunMaterial(result=result))

    for row in result.cells:
        assert f"<td>{row.cell.label}</td>" in page


def test_the_record_inside_is_the_result() -> None:
    page = run_page(RunMaterial(result=_grid()))
    found = re.search(r'<script type="application/json" id="result">(.*?)</script>', page, re.DOTALL)

    assert found is not None
    assert len(json.loads(found[1])["cells"]) == 4


def test_a_record_that_is_too_large_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparktune.report.run.html._LIMIT", 1000)

    assert "sparktune runs export" in run_page(RunMaterial(result=_grid())).partition("<script")[2]


def test_pictures_of_a_run() -> None:
    result = _grid()
    cell = choose_cell(result)
    assert cell == make_cell(8192, concurrency=4)
    material = RunMaterial(result=result, wave=reported.wave(cell, Arm.A))

    pictures = drawn(run_drawings(material), WIDE)

    assert [picture.name for picture in pictures] == ["output-tok-s", "ttft-s", "wave", "acceptance"]
    for picture in pictures:
        ET.fromstring(as_file(picture))  # noqa: S314 - our own text is what is tested


def test_an_empty_run_has_a_page() -> None:
    """A run that was stopped at once is a run."""
    result = make_result(run=make_run(), cells=())
    assert choose_cell(result) is None

    page = run_page(RunMaterial(result=result))

    assert "no recorded wave could be read" in page

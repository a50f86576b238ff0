"""``sparktune runs report`` as a person types it, from the store to files."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.support import swept
from tests.support.measured import store_run
from tests.support.stored_experiment import store_experiment

from sparktune.cli.app import main
from sparktune.flows.report import experiment_material
from sparktune.io.store import Store

Sparktune = Callable[..., int]


@pytest.fixture
def sparktune(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Sparktune:
    """Run the command line in this process and return its exit code."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> int:
        monkeypatch.setattr(sys, "argv", ["sparktune", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0)

    return run


def test_an_experiment_becomes_a_page(sparktune: Sparktune, tmp_path: Path) -> None:
    with Store.open() as store:
        plan = store_experiment(store)

    assert sparktune("runs", "report", plan.id) == 0

    page = (tmp_path / f"report-{plan.id}.html").read_text(encoding="utf-8")
    assert "Session" in page
    assert "spark1" in page
    assert "Not shown: no recorded wave" not in page


def test_the_waves_come_out_of_the_store() -> None:
    """The picture of a wave is drawn from recorded bytes, not from a summary."""
    with Store.open() as store:
        plan = store_experiment(store)
        material = experiment_material(store, plan)

    assert {arm.value for arm in material.waves} == {"A", "B"}
    for trial in material.waves.values():
        assert trial.cell.concurrency == 2
        assert [request.ok for request in trial.requests] == [True, True]
    assert len(material.measured_from) == 6


def test_a_run_becomes_a_page(sparktune: Sparktune, tmp_path: Path) -> None:
    with Store.open() as store:
        run = store_run(store)

    assert sparktune("runs", "report", run.id[:8], "--out", "mine.html") == 0

    assert f"run {run.id}" in (tmp_path / "mine.html").read_text(encoding="utf-8")


def test_the_newest_is_the_experiment_and_not_its_last_visit(sparktune: Sparktune, tmp_path: Path) -> None:
    """Its visits are runs of their own, and began later."""
    with Store.open() as store:
        plan = store_experiment(store)

    assert sparktune("runs", "report") == 0

    assert (tmp_path / f"report-{plan.id}.html").exists()


def test_a_bench_after_an_experiment_is_the_newest(sparktune: Sparktune, tmp_path: Path) -> None:
    with Store.open() as store:
        store_experiment(store)
        run = store_run(store, "261129-235900-new", created_wall_s=1_795_999_999.0)

    assert sparktune("runs", "report") == 0

    assert (tmp_path / f"report-{run.id}.html").exists()


def test_after_a_sweep_the_page_of_the_sweep_is_named(
    sparktune: Sparktune, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its last visit alone would pass for the answer: a page that says VALID where the sweep says NO WINNER."""
    result = swept.none()
    with Store.open() as store:
        run = store_run(store)
        store.create_sweep(result.record, replace(result.experiment, id=result.record.id, blocks=(), sweep=True))
        store.add_sweep_visit(result.record.id, replace(result.visits[0], run_id=run.id))

    assert sparktune("runs", "report") == 2

    assert f"sparktune sweep report {result.record.id}" in capsys.readouterr().err
    assert list(tmp_path.glob("report-*")) == []


@pytest.mark.parametrize("kind", ["experiment", "run"])
def test_markdown_goes_to_stdout(sparktune: Sparktune, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    with Store.open() as store:
        subject = store_experiment(store).id if kind == "experiment" else store_run(store).id

    assert sparktune("runs", "report", subject, "--format", "markdown") == 0

    told = capsys.readouterr().out
    assert told.startswith("**")
    assert ("| order | AB BA AB |" in told) == (kind == "experiment")


def test_pictures_are_files_of_their_own(sparktune: Sparktune, tmp_path: Path) -> None:
    with Store.open() as store:
        plan = store_experiment(store)

    assert sparktune("runs", "report", plan.id, "--format", "svg", "--out", "pictures") == 0

    files = {path.name for path in (tmp_path / "pictures").iterdir()}
    assert {"paired-blocks.svg", "forest.svg", "cells.svg", "wave.svg", "session.svg"} <= files
    for path in (tmp_path / "pictures").iterdir():
        ET.parse(path)  # noqa: S314 - our own file is what is tested


def test_what_cannot_be_drawn_is_said(sparktune: Sparktune, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty folder and exit code 0 look like a success, and whoever asked looks for the files."""
    with Store.open() as store:
        store_run(store, trials=0)

    assert sparktune("runs", "report", "--format", "svg", "--out", "pictures") == 2

    told = capsys.readouterr().err
    assert "error: there is nothing to draw: " in told
    assert "One wave, stream by stream: " in told
    assert "hint: its page has what is known" in told
    assert not (tmp_path / "pictures").exists()


def test_a_picture_that_is_missing_among_others_is_named(
    sparktune: Sparktune, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store.open() as store:
        store_run(store)

    assert sparktune("runs", "report", "--format", "svg", "--out", "pictures") == 0

    told = capsys.readouterr().err
    assert told.count("saved ") == len(list((tmp_path / "pictures").iterdir()))
    assert "not drawn: Acceptance by position: " in told


def test_png_without_its_renderer_names_what_is_missing(
    sparktune: Sparktune, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with Store.open() as store:
        store_experiment(store)

    assert sparktune("runs", "report", "--format", "png") == 1

    assert "-m pip install 'resvg-py" in capsys.readouterr().err


def test_png_files_are_pictures(sparktune: Sparktune, tmp_path: Path) -> None:
    with Store.open() as store:
        plan = store_experiment(store)

    assert sparktune("runs", "report", plan.id, "--format", "png", "--out", "pictures") == 0

    data = (tmp_path / "pictures" / "paired-blocks.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(data[16:20]) > 1500


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing-like-it",), "no run"),
        (("--format", "pdf"), "known: html, markdown, svg, png"),
        (("--format", "svg", "--out", "taken"), "cannot be made"),
        (("--format", "svg", "--out", "all.svg"), "all.svg would hold a folder of pictures"),
        (("--out", "page.md"), "page.md would hold HTML, and its name says Markdown"),
        (("--format", "markdown", "--out", "page.html"), "name it page.md"),
    ],
)
def test_what_cannot_be_done_is_said(
    sparktune: Sparktune, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    (tmp_path / "taken").write_text("a file")
    with Store.open() as store:
        store_experiment(store)

    assert sparktune("runs", "report", *words) in {1, 2}

    assert said in capsys.readouterr().err

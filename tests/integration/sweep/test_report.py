"""``sparktune sweep report`` as a person runs it, on a sweep that the store holds."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.support import swept
from tests.support.cli import run_sparktune

from sparktune.io.store.store import Store


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep a sweep whose winner was not confirmed yet, and return an empty folder to work in."""
    monkeypatch.setenv("SPARKTUNE_DATA", str(tmp_path / "data"))
    result = swept.unconfirmed()
    with Store.open() as store:
        store.create_sweep(result.record, replace(result.experiment, id=result.record.id, blocks=(), sweep=True))
        for visit in result.visits:
            store.add_sweep_visit(result.record.id, visit)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def test_a_page_and_its_pictures(stored: Path) -> None:
    done = run_sparktune("sweep", "report", "--html", "sweep.html", "--pictures", "pictures")

    assert done.code == 0, done.err
    text = (stored / "sweep.html").read_text()
    assert "NOT CONFIRMED YET" in text
    assert "No available memory for the cache blocks" in text
    assert {one.name for one in (stored / "pictures").iterdir()} >= {"pareto.svg", "screening.svg"}
    assert "NOT CONFIRMED YET" in (stored / "pictures" / "pareto.svg").read_text()


def test_without_a_name_it_says_where_it_is(stored: Path) -> None:
    done = run_sparktune("sweep", "report", "2611")

    assert done.code == 0, done.err
    (page,) = stored.iterdir()
    assert page.name in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing-like-it",), "nothing-like-it"),
        (("--format", "html", "--pictures", "p"), "svg or png"),
        (("--html", "no/such/folder/x.html"), "no/such/folder"),
        (("--html", "page.md"), "name it page.html"),
        (("--pictures", "all.png"), "name it all, or"),
    ],
)
def test_a_mistake_is_told_without_a_traceback(stored: Path, words: tuple[str, ...], said: str) -> None:
    done = run_sparktune("sweep", "report", *words)

    assert done.code in {1, 2}
    assert said in done.err
    assert "Traceback" not in done.err
    assert not any(stored.iterdir())

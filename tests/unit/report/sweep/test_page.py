"""The page of a sweep: well-formed whatever was tried, and no claim where nothing was confirmed."""

import json
from collections.abc import Callable

import pytest
from tests.support import swept
from tests.unit.report.experiment.test_page import _Checked

from sparktune.experiment.sweep_result import SweepResult
from sparktune.model.sweep import Stage
from sparktune.report.sweep.html import LIMIT, sweep_page
from sparktune.report.sweep.pareto import pareto_view
from sparktune.report.sweep.views import stage_rows

_MAKERS = (swept.won, swept.unconfirmed, swept.none, swept.begun, swept.hostile)


@pytest.mark.parametrize("make", _MAKERS, ids=lambda make: str(make.__name__))
def test_a_page_is_well_formed_and_small(make: Callable[[], SweepResult]) -> None:
    text = sweep_page(make(), swept.OUTCOMES)
    page = _Checked(text)

    assert not page.faults
    assert not page.open
    assert len(text.encode()) <= LIMIT
    assert json.loads(page.record)["schema"] == 1
    assert not any({"src", "href"} & set(attributes) for _, attributes in page.elements), "it fetches nothing"


def test_stages_are_apart_and_what_did_not_run_says_why() -> None:
    words = " ".join(_Checked(sweep_page(swept.won(), swept.OUTCOMES)).words)

    headings = ("WINNER, CONFIRMED", "Confirmation", "Throughput against waiting", "Race", "Screening", "What did not")
    places = [words.index(one) for one in headings]
    assert places == sorted(places)
    for said in ("No available memory", "beyond a limit", "graph-coverage", "4 of them decode inside", "break-even"):
        assert said in words


@pytest.mark.parametrize("make", [swept.unconfirmed, swept.none, swept.begun], ids=lambda make: str(make.__name__))
def test_without_a_confirmation_nobody_won(make: Callable[[], SweepResult]) -> None:
    """The best of several looks better than it is; only fresh blocks say that it is."""
    result = make()
    text = sweep_page(result)

    assert "WINNER, CONFIRMED" not in text
    assert "Nothing below is a claim" in text
    assert all(point.kind != "winner" for point in pareto_view(result).points)


def test_words_of_a_server_are_shown_and_not_obeyed() -> None:
    text = sweep_page(swept.hostile())

    assert "<b>alert" not in text
    assert "\x1b" not in text


def test_a_large_confirmation_is_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparktune.report.sweep.html.LIMIT", 1000)
    record = json.loads(_Checked(sweep_page(swept.won())).record)

    assert record["confirmation"] is None
    assert "sparktune ab show" in record["left_out"]


def test_the_picture_has_every_configuration_or_says_why_not() -> None:
    result = swept.won()
    points = pareto_view(result)

    assert points.x_limit == 8.0
    assert [one.name for one in points.points if one.unfit] == ["max_num_seqs=32"]
    assert [one.name for one in points.points if one.kind == "winner"] == [result.record.winner]
    assert points.points[0].kind == "baseline"
    assert points.absent == (
        ("max_num_seqs=64", "does not run: the start failed: No available memory for the cache blocks"),
    )
    assert {one.name for one in points.points} | {"max_num_seqs=64"} == {
        "the baseline" if visit.key == "baseline" else visit.key for visit in result.visits
    }


def test_rows_of_a_stage_are_best_first_without_the_baseline() -> None:
    race = stage_rows(swept.won(), Stage.RACE)

    assert [row.name for row in race.rows] == ["max_num_seqs=16 num_speculative_tokens=3", "max_num_seqs=16"]
    assert all(row.kind == "observed" for row in race.rows), "nothing of a race is a primary's verdict"
    assert "to confirmation" in race.rows[0].words

"""What decides nothing must not push the verdict off the screen; picking the striking ones must not become a claim."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.support.blocks import decided_on

from sparktune.experiment.effect import Better, Effect
from sparktune.experiment.result import ExperimentResult, MetricEffect
from sparktune.report.ab.observed_words import observed_lines
from sparktune.report.ab.text import result_text

_STILL = (0.98, 1.03)
_TITLE = "also observed (decides nothing):"


def _observed(intervals: Mapping[str, tuple[float, float]]) -> ExperimentResult:
    """Return a result that observed metrics with these intervals of B as a ratio of A."""
    observed = tuple(
        MetricEffect(
            metric=name,
            better=Better.HIGHER,
            effect=Effect(
                ratio=(low * high) ** 0.5, low=low, high=high, confidence=0.95, blocks=3, deviation=0.1, wins=2
            ),
        )
        for name, (low, high) in intervals.items()
    )
    unknown = MetricEffect(metric="unknown_s", better=Better.LOWER, effect=None, why="not told")
    return replace(decided_on([1.1, 1.12, 1.11]), observed=(*observed, unknown))


def _many(count: int, low: float, high: float) -> dict[str, tuple[float, float]]:
    return {f"m{number}_tok_s": (low, high) for number in range(count)}


@pytest.mark.parametrize(
    ("intervals", "names", "last"),
    [
        ({}, [], None),
        (_many(6, *_STILL), [f"m{number}_tok_s" for number in range(6)], None),
        (
            {**_many(17, *_STILL), "slow_tok_s": (0.4, 0.6), "fast_tok_s": (1.1, 1.2)},
            ["slow_tok_s", "fast_tok_s"],
            "and 17 more, none shown to change (of 19, one may stand out by chance): ",
        ),
        (
            {**_many(13, *_STILL), **{f"up{number}": (1 + number / 100, 2.0) for number in range(1, 9)}},
            [f"up{number}" for number in range(8, 2, -1)],
            "and 15 more, 2 shown to change (of 21, one may stand out by chance): ",
        ),
    ],
    ids=["none", "few", "two stand out of many", "more stand out than are shown"],
)
def test_of_many_those_that_moved_are_shown(
    intervals: dict[str, tuple[float, float]], names: list[str], last: str | None
) -> None:
    """Twenty lines that decide nothing hid the lines that say what to do next."""
    lines = list(observed_lines(_observed(intervals)))

    shown = [line.strip().partition(":")[0] for line in lines[1 : len(names) + 1]]
    assert lines[:1] == ([_TITLE] if names else [])
    assert shown == names
    assert [line.strip() for line in lines[len(names) + 1 :]] == ([f"{last}sparktune ab show e1 --all"] if last else [])


def test_where_nothing_moved_one_line_says_so() -> None:
    told = list(observed_lines(_observed(_many(9, *_STILL))))

    assert told == [f"{_TITLE} 9 metrics, none shown to change: sparktune ab show e1 --all"]


@pytest.mark.parametrize("interval", [(0.0, 0.5), (0.0, 0.0), (2.0, float("inf"))])
def test_an_interval_without_an_end_is_no_fault(interval: tuple[float, float]) -> None:
    assert len(list(observed_lines(_observed({**_many(9, *_STILL), "wild": interval})))) > 0


def test_all_of_them_are_there_when_asked_for() -> None:
    result = _observed({**_many(17, *_STILL), "slow_tok_s": (0.4, 0.6)})

    whole, short = (result_text(result, whole=whole).splitlines() for whole in (True, False))

    assert sum("_tok_s: " in line for line in whole) == 18
    assert not any("--all" in line for line in whole)
    assert len(whole) - len(short) == 16

"""The effect between two arms of somebody's table: what is paired, what is left out, and what does not matter."""

import json
import math
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.experiment.compare import Way, compare_arms, metrics_of
from sparktune.experiment.table_verdict import TableVerdict, judge_table
from sparktune.model.table import Row, Table
from sparktune.report.check import check_json

_PAIR = ("a", "b")


def _row(arm: str, value: float, **fields: object) -> Row:
    return Row(arm=arm, values={"output_tok_s": value}, **{"prompt_tokens": 512, "concurrency": 1, **fields})  # type: ignore[arg-type]


def _table(*rows: Row) -> Table:
    return Table(source="csv", name="t", rows=rows, arms=_PAIR)


def _trials(a: list[float], b: list[float], **fields: object) -> Table:
    rows = [
        _row(arm, value, trial=trial, **fields)
        for arm, values in (("a", a), ("b", b))
        for trial, value in enumerate(values, 1)
    ]
    return _table(*rows)


def test_trials_of_the_same_number_are_paired() -> None:
    """A drift that both arms share is in no ratio."""
    table = _trials([40.0, 50.0, 60.0], [44.0, 55.0, 66.0])
    found = compare_arms(table, _PAIR, "output_tok_s", void=frozenset(), alpha=0.05)

    assert found is not None
    assert (found.way, found.units, found.wins, found.trials) == (Way.TRIALS, 3, 3, 3)
    assert found.ratio == pytest.approx(1.1)
    assert found.low is not None
    assert found.low > 1


def test_a_trial_is_the_mean_over_its_cells() -> None:
    """Cells of one trial share a moment: they are no further trials."""
    table = _table(
        *(
            _row(arm, rate, trial=t, concurrency=c)
            for arm, rate in (("a", 40.0), ("b", 44.0))
            for t in (1, 2, 3)
            for c in (1, 4)
        )
    )
    found = compare_arms(table, _PAIR, "output_tok_s", void=frozenset(), alpha=0.05)

    assert found is not None
    assert (found.way, found.units, found.cells) == (Way.TRIALS, 3, 2)


def test_trials_without_numbers_are_not_paired() -> None:
    table = _table(
        *(_row("a", value) for value in (40.0, 41.0, 42.0)), *(_row("b", value) for value in (50.0, 51.0, 52.0, 53.0))
    )
    found = compare_arms(table, _PAIR, "output_tok_s", void=frozenset(), alpha=0.05)

    assert found is not None
    assert (found.way, found.units, found.trials) == (Way.UNPAIRED, 3, 3)
    assert found.detectable


def test_welchs_interval_is_that_of_the_textbook() -> None:
    """Logs of e^1, e^2, e^3 against e^2, e^4, e^6: t' = 2 / sqrt(1/3 + 4/3), 2.94 degrees of freedom."""
    table = _table(
        *(_row("a", math.exp(value)) for value in (1, 2, 3)), *(_row("b", math.exp(value)) for value in (2, 4, 6))
    )
    found = compare_arms(table, _PAIR, "output_tok_s", void=frozenset(), alpha=0.05)

    assert found is not None
    assert found.low is not None
    assert math.log(found.ratio) == pytest.approx(2.0)
    assert math.log(found.ratio) - math.log(found.low) == pytest.approx(3.2159 * math.sqrt(5 / 3), rel=1e-3)


def test_a_series_is_trials_and_not_its_median() -> None:
    rows = [
        Row(
            arm=arm,
            prompt_tokens=512,
            trial=None,
            trials=3,
            values={"output_tok_s": series[1]},
            series={"output_tok_s": series},
        )
        for arm, series in (("a", (40.0, 41.0, 42.0)), ("b", (50.0, 51.0, 52.0)))
    ]
    found = compare_arms(_table(*rows), _PAIR, "output_tok_s", void=frozenset(), alpha=0.05)

    assert found is not None
    assert (found.way, found.units, found.trials) == (Way.UNPAIRED, 3, 3)


def test_prompts_are_paired_and_those_of_one_arm_are_left() -> None:
    rows = [
        _row(arm, rate, prompt_id=name, trial=1) for arm, rate in (("a", 20.0), ("b", 30.0)) for name in ("x", "y", "z")
    ]
    found = compare_arms(
        _table(*rows, _row("a", 5.0, prompt_id="only", trial=1)), _PAIR, "output_tok_s", void=frozenset(), alpha=0.05
    )

    assert found is not None
    assert (found.way, found.units, found.medians) == (Way.PROMPTS, 3, {"a": pytest.approx(20), "b": pytest.approx(30)})


def test_a_row_that_is_void_takes_its_cell_with_it() -> None:
    """The other arm's value has nothing left to be compared with."""
    table = _table(
        _row("a", 40.0), _row("b", 40.0), _row("a", 1.8, prompt_tokens=131072), _row("b", 33.3, prompt_tokens=131072)
    )
    found = compare_arms(table, _PAIR, "output_tok_s", void=frozenset({3}), alpha=0.05)

    assert found is not None
    assert (found.cells, found.ratio) == (1, pytest.approx(1.0))
    assert compare_arms(table, _PAIR, "output_tok_s", void=frozenset({1, 3}), alpha=0.05) is None


def test_one_value_has_no_interval_and_no_verdict() -> None:
    judgement = judge_table(_trials([5.6], [3.1]))

    assert judgement.verdict is TableVerdict.INCONCLUSIVE
    assert judgement.comparisons[0].low is None
    assert not judgement.comparisons[0].detectable


def test_a_value_of_zero_has_no_ratio() -> None:
    found = compare_arms(_trials([0.0, 40.0], [44.0, 44.0]), _PAIR, "output_tok_s", void=frozenset(), alpha=0.05)

    assert found is not None
    assert found.medians["a"] == pytest.approx(40.0)


def test_output_rate_decides_before_ttft() -> None:
    rows = [Row(arm=arm, values={"ttft_s": 1.0, "output_tok_s": 40.0}) for arm in _PAIR]

    assert metrics_of(_table(*rows), _PAIR) == ("output_tok_s", "ttft_s")


@pytest.mark.parametrize(
    ("b", "verdict", "words"),
    [
        ([60.0, 61.0, 62.0], TableVerdict.VALID, "b is better than a"),
        ([20.0, 20.5, 21.0], TableVerdict.VALID, "b is worse than a"),
        ([40.0, 41.0, 42.0], TableVerdict.VALID, "b is within 5 % of a"),
        ([30.0, 50.0, 47.0], TableVerdict.INCONCLUSIVE, "no detectable effect"),
    ],
)
def test_the_verdict_on_three_trials(b: list[float], verdict: TableVerdict, words: str) -> None:
    judgement = judge_table(_trials([40.0, 41.0, 42.0], b))

    assert judgement.verdict is verdict
    assert words in judgement.why
    assert bool(judgement.takes) == (verdict is TableVerdict.INCONCLUSIVE)


def test_what_is_not_known_of_the_order_is_said_with_the_verdict() -> None:
    told = replace(_trials([40.0, 41.0, 42.0], [60.0, 61.0, 62.0]), order=("a", "b", "b", "a"))

    assert "is not shown: see V08" in judge_table(replace(told, order=None)).why
    assert "V08" not in judge_table(told).why


def test_one_arm_after_the_other_decides_nothing() -> None:
    table = replace(_trials([40.0, 41.0, 42.0], [60.0, 61.0, 62.0]), order=("a", "a", "a", "b", "b", "b"))
    judgement = judge_table(table)

    assert judgement.verdict is TableVerdict.INCONCLUSIVE
    assert "the setting and the hour" in judgement.why


def test_a_lone_value_outside_all_others_is_named() -> None:
    rows = [
        _row("first", 3.1, trial=1),
        *(_row("rerun", rate, trial=place) for place, rate in enumerate((6.4, 6.7, 10.2), 1)),
    ]
    first, rerun = judge_table(Table(source="csv", name="t", rows=tuple(rows), arms=("first", "rerun"))).arms

    assert (first.outside, rerun.outside) == (("rerun",), ())
    assert rerun.apart == (10.2,)


def test_many_rows_take_no_time_that_a_person_would_notice() -> None:
    """Every rule looks at rows once, not at pairs of rows: 4,000 prompts of different lengths."""
    looked = 0

    class Counted(dict[str, float]):
        def get(self, *arguments: object) -> object:  # type: ignore[override]
            nonlocal looked
            looked += 1
            return super().get(*arguments)  # type: ignore[arg-type]

    rows = [
        Row(arm=arm, prompt_tokens=2048 + place, concurrency=1, trial=1, values=Counted(ttft_s=1.0, output_tok_s=40.0))
        for arm in _PAIR
        for place in range(2000)
    ]

    judge_table(_table(*rows))

    assert looked < 100 * len(rows)


def test_several_arms_share_the_error_rate() -> None:
    table = _trials([40.0, 41.0, 42.0], [60.0, 61.0, 62.0])
    more = replace(
        table,
        rows=(*table.rows, *(replace(row, arm="c") for row in table.rows if row.arm == "b")),
        arms=("a", "b", "c"),
    )
    judgement = judge_table(more)

    assert [(found.first, found.second) for found in judgement.comparisons] == [("a", "b"), ("a", "c")]
    assert {found.confidence for found in judgement.comparisons} == {0.975}


_RATES = st.lists(st.floats(min_value=1.0, max_value=200.0), min_size=3, max_size=6)
_SHAPES = st.sampled_from(["numbered", "unnumbered", "cells", "prompts"])


def _shaped(shape: str, a: list[float], b: list[float]) -> Table:
    pairs = [(arm, place, value) for arm, values in (("a", a), ("b", b)) for place, value in enumerate(values, 1)]
    fields = {
        "numbered": lambda place: {"trial": place},
        "unnumbered": lambda _: {},
        "cells": lambda place: {"concurrency": place},
        "prompts": lambda place: {"prompt_id": f"p{place}", "trial": 1},
    }[shape]
    return _table(*(_row(arm, value, **fields(place)) for arm, place, value in pairs))


@given(a=_RATES, b=_RATES, shape=_SHAPES, seed=st.integers(0, 2**32))
def test_the_order_of_rows_does_not_matter(a: list[float], b: list[float], shape: str, seed: int) -> None:
    table = _shaped(shape, a, b)
    shuffled = list(table.rows)
    random.Random(seed).shuffle(shuffled)

    one, other = judge_table(table), judge_table(replace(table, rows=tuple(shuffled)))

    assert (one.verdict, [check.status for check in one.checks]) == (
        other.verdict,
        [check.status for check in other.checks],
    )
    for left, right in zip(one.comparisons, other.comparisons, strict=True):
        assert (left.way, left.units, left.wins, left.trials) == (right.way, right.units, right.wins, right.trials)
        assert (left.ratio, left.low, left.high) == pytest.approx((right.ratio, right.low, right.high))


@given(a=_RATES, b=_RATES, shape=_SHAPES)
def test_the_names_of_arms_do_not_matter(a: list[float], b: list[float], shape: str) -> None:
    table = _shaped(shape, a, b)
    names = {"a": "zebra", "b": "baseline"}
    renamed = replace(
        table, rows=tuple(replace(row, arm=names[row.arm]) for row in table.rows), arms=("zebra", "baseline")
    )

    one, other = (json.loads(check_json(judge_table(found))) for found in (table, renamed))

    assert one["verdict"] == other["verdict"]
    assert [effect["ratio"] for effect in one["effects"]] == [effect["ratio"] for effect in other["effects"]]


@given(a=_RATES, b=_RATES, shape=_SHAPES)
def test_swapping_arms_inverts_the_effect(a: list[float], b: list[float], shape: str) -> None:
    table = _shaped(shape, a, b)
    one, other = judge_table(table), judge_table(replace(table, arms=("b", "a")))

    assert one.verdict is other.verdict
    for left, right in zip(one.comparisons, other.comparisons, strict=True):
        assert left.ratio == pytest.approx(1 / right.ratio)
        if left.low is not None and right.high is not None:
            assert left.low == pytest.approx(1 / right.high)
        assert left.improved != right.improved or left.ratio == pytest.approx(1.0)

"""Verdicts from log ratios of blocks: when there is one, when there is none, and what is said beside it."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.experiment.effect import Better, effect_of, holm, log_ratio, p_value
from sparktune.experiment.rules import Look, Rules
from sparktune.experiment.verdict import Verdict, judge

RULES = Rules()


def _ratios(*shares: float) -> list[float]:
    return [math.log1p(share) for share in shares]


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        (_ratios(0.10, 0.11, 0.105), Verdict.IMPROVED),
        (_ratios(-0.10, -0.11, -0.105), Verdict.REGRESSED),
        (_ratios(0.002, -0.003, 0.001), Verdict.EQUIVALENT),
        (_ratios(0.10, 0.02, 0.06), None),
        (_ratios(0.10, 0.11, 0.105, 0.10), None),  # four blocks are no look, however clear
        (_ratios(0.10, 0.09, 0.12, 0.11, 0.10), Verdict.IMPROVED),
        (_ratios(0.2, -0.1, 0.1, -0.2, 0.15, -0.05, 0.1, -0.1), Verdict.INCONCLUSIVE),
    ],
)
def test_a_verdict_is_given_at_looks_alone(ratios: list[float], verdict: Verdict | None) -> None:
    assert judge(ratios, RULES).verdict is verdict


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        (_ratios(0.002, -0.003, 0.001), Verdict.EQUIVALENT),
        (_ratios(0.035, 0.034, 0.036, 0.035, 0.035), Verdict.EQUIVALENT),  # worth having, but within the margin
        (_ratios(0.10, 0.11, 0.105), Verdict.DIFFERENT),
        (_ratios(-0.10, -0.11, -0.105), Verdict.DIFFERENT),
        (_ratios(0.06, 0.05, 0.07), None),  # across the margin: neither is shown
        (_ratios(*[0.06, 0.04] * 4), Verdict.INCONCLUSIVE),
        (_ratios(0.3, 0.3), None),
    ],
)
def test_two_ways_to_run_the_same_never_win(ratios: list[float], verdict: Verdict | None) -> None:
    judgement = judge(ratios, Rules(only_equivalence=True))
    assert judgement.verdict is verdict
    assert not judgement.below_margin


@pytest.mark.parametrize("blocks", [0, 1, 2])
def test_fewer_than_three_blocks_are_an_anecdote(blocks: int) -> None:
    """A single run that is three times as fast was one article's headline."""
    judgement = judge(_ratios(*[2.0] * blocks), RULES)
    assert judgement.anecdote
    assert judgement.verdict is None


def test_a_sure_effect_below_the_margin_is_no_win_and_said() -> None:
    judgement = judge(_ratios(0.02, 0.021, 0.019, 0.02, 0.02), Rules(margin=0.03, equivalence=0.01))
    assert judgement.verdict is None
    assert judgement.below_margin


@pytest.mark.parametrize(
    ("ratios", "rules", "fragile"),
    [
        (_ratios(0.10, 0.11, 0.105), Rules(), False),
        (_ratios(0.029, 0.029, 0.034), Rules(), True),  # without the last, less than the margin
        ([-ratio for ratio in _ratios(0.029, 0.029, 0.034)], Rules(), True),
        (_ratios(0.06, 0.09, 0.13, 0.07, 0.02), Rules(), True),  # shown by five at 1.6 %, not by any four at 5 %
        (_ratios(0.10, 0.11, 0.105), Rules(only_equivalence=True), False),
        (_ratios(0.25, 0.08, 0.15, 0.20, 0.14), Rules(only_equivalence=True), True),
    ],
)
def test_a_verdict_that_rests_on_one_block_is_fragile(ratios: list[float], rules: Rules, *, fragile: bool) -> None:
    """A mean that turns its sign without a block never passes a look, so that asking for this alone asks nothing."""
    judgement = judge(ratios, rules)
    assert judgement.verdict in {Verdict.IMPROVED, Verdict.REGRESSED, Verdict.DIFFERENT}
    assert judgement.fragile is fragile


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=8))
def test_turning_the_arms_round_turns_the_verdict_round(ratios: list[float]) -> None:
    opposite = {Verdict.IMPROVED: Verdict.REGRESSED, Verdict.REGRESSED: Verdict.IMPROVED}
    one, other = judge(ratios, RULES), judge([-ratio for ratio in ratios], RULES)
    assert other.verdict is (opposite.get(one.verdict, one.verdict) if one.verdict else None)


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=8))
def test_interval_and_verdict_agree(ratios: list[float]) -> None:
    judgement = judge(ratios, RULES)
    assert judgement.effect is not None
    assert judgement.effect.low <= judgement.effect.ratio <= judgement.effect.high
    if judgement.verdict is Verdict.IMPROVED:
        assert judgement.effect.low > 1
    if judgement.verdict is Verdict.REGRESSED:
        assert judgement.effect.high < 1


def test_lower_is_better_for_times() -> None:
    assert log_ratio(2.0, 1.0, Better.LOWER) == pytest.approx(math.log(2))
    assert log_ratio(2.0, 1.0, Better.HIGHER) == pytest.approx(-math.log(2))


@pytest.mark.parametrize("value", [0.0, -1.0, math.inf, math.nan])
def test_what_has_no_ratio_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="ratio"):
        log_ratio(value, 1.0, Better.HIGHER)


def test_one_block_has_no_interval() -> None:
    with pytest.raises(ValueError, match="interval"):
        effect_of([0.1], alpha=0.05, floor=0.005)


def test_identical_blocks_do_not_make_certainty() -> None:
    """Three equal values come of a clock's grain, not of a machine without noise."""
    effect = effect_of([0.05, 0.05, 0.05], alpha=0.01, floor=0.005)
    assert effect.low < effect.ratio < effect.high


@pytest.mark.parametrize(
    ("looks", "margin"),
    [
        ((), 0.03),
        ((Look(blocks=2, alpha=0.01),), 0.03),
        ((Look(blocks=5, alpha=0.01), Look(blocks=3, alpha=0.01)), 0.03),
        ((Look(blocks=3, alpha=0.01),), 0.0),
        ((Look(blocks=3, alpha=1.0),), 0.03),
    ],
)
def test_rules_that_prove_nothing_are_refused(looks: tuple[Look, ...], margin: float) -> None:
    with pytest.raises(ValueError, match=r"looks|shares"):
        Rules(looks=looks, margin=margin)


def test_holm_keeps_what_holds_together() -> None:
    assert holm({"a": 0.01, "b": 0.02, "c": 0.04}, 0.05) == {"a", "b", "c"}
    assert holm({"a": 0.01, "b": 0.03, "c": 0.04}, 0.05) == {"a"}
    assert holm({"a": 0.02, "b": 0.001}, 0.05) == {"a", "b"}
    assert holm({}, 0.05) == frozenset()


def test_twelve_cells_without_an_effect_show_none_in_most_experiments() -> None:
    """Every third matrix of twelve cells has a winner by chance when each is judged alone."""
    draw = random.Random(8)
    alone = together = 0
    for _ in range(300):
        values = {str(cell): p_value([draw.gauss(0, 0.05) for _ in range(5)], floor=0.005) for cell in range(12)}
        alone += any(value < 0.05 for value in values.values())
        together += bool(holm(values, 0.05))
    assert alone / 300 > 0.3
    assert together / 300 < 0.08

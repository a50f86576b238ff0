"""What the method promises, held against worlds in which the truth is known: thousands of virtual experiments.

A wrong verdict costs its user a setting that does nothing, or loses one that was good; no formula but the whole
procedure (medians of trials, counterbalanced blocks, three looks, margins) has these rates.
"""

import random

import pytest
from tests.support.virtual import WORLDS, simulate

from sparktune.experiment.effect import effect_of
from sparktune.experiment.rules import Rules
from sparktune.experiment.verdict import Verdict

EXPERIMENTS = 2000


@pytest.mark.parametrize("world", WORLDS)
def test_no_effect_is_called_one_in_at_most_5_percent(world: str) -> None:
    rates = simulate(WORLDS[world], 1.0, experiments=EXPERIMENTS, seed=1)
    assert rates.share(Verdict.IMPROVED) + rates.share(Verdict.REGRESSED) <= 0.05


def test_ten_percent_are_found_in_the_base_world() -> None:
    rates = simulate(WORLDS["base"], 1.10, experiments=EXPERIMENTS, seed=2)
    assert rates.share(Verdict.IMPROVED) >= 0.85
    assert rates.share(Verdict.REGRESSED) == 0


def test_a_loss_is_found_as_surely_as_a_win() -> None:
    rates = simulate(WORLDS["base"], 1 / 1.10, experiments=EXPERIMENTS, seed=3)
    assert rates.share(Verdict.REGRESSED) >= 0.85


def test_a_large_effect_ends_early() -> None:
    """Twenty percent must not cost the night that five percent cost."""
    large, small = (simulate(WORLDS["base"], truth, experiments=500, seed=4) for truth in (1.2, 1.05))
    assert large.blocks + 2 < small.blocks
    assert large.share(Verdict.IMPROVED) >= 0.9


def test_equal_arms_are_called_equivalent_on_a_quiet_machine() -> None:
    assert simulate(WORLDS["quiet"], 1.0, experiments=500, seed=5).share(Verdict.EQUIVALENT) >= 0.7


def test_three_looks_at_growing_data_err_in_at_most_5_percent() -> None:
    """Looking again and again is how noise becomes a discovery: the looks together keep to the declared rate."""
    rules, draw, experiments = Rules(), random.Random(6), 6000
    crossed = 0
    for _ in range(experiments):
        ratios = [draw.gauss(0, 0.05) for _ in range(rules.last.blocks)]
        effects = (effect_of(ratios[: look.blocks], alpha=look.alpha, floor=rules.floor) for look in rules.looks)
        crossed += any(effect.low > 1 or effect.high < 1 for effect in effects)
    assert 0.03 < crossed / experiments < rules.alpha + 0.008  # three standard errors of so many experiments

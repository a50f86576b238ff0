"""What is said before an experiment starts, and of going on."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.experiment.outliers import extra_trials, outliers_of
from sparktune.experiment.planning import (
    NoiseSplit,
    best_trials_per_visit,
    chance_of_verdict,
    smallest_detectable,
    split_noise,
)
from sparktune.experiment.rules import Rules


@pytest.mark.parametrize(("deviation", "blocks", "share"), [(0.02, 3, 0.067), (0.05, 5, 0.088), (0.03, 8, 0.035)])
def test_the_smallest_detectable_effect_is_that_of_the_t_test(deviation: float, blocks: int, share: float) -> None:
    assert smallest_detectable(deviation, blocks, 0.05) == pytest.approx(share, rel=0.08)


@given(st.floats(0.005, 0.2), st.integers(3, 12))
def test_more_blocks_find_smaller_effects(deviation: float, blocks: int) -> None:
    assert smallest_detectable(deviation, blocks + 1, 0.05) < smallest_detectable(deviation, blocks, 0.05)


def test_noise_is_split_into_trials_and_visits() -> None:
    draw = random.Random(1)
    visits = []
    for _ in range(400):
        level = draw.gauss(0, 0.04)
        visits.append([math.exp(level + draw.gauss(0, 0.02)) for _ in range(3)])
    noise = split_noise(visits)
    assert noise.trial == pytest.approx(0.02, rel=0.1)
    assert noise.visit == pytest.approx(0.04, rel=0.1)


def test_one_visit_does_not_tell_its_noise_from_that_of_others() -> None:
    with pytest.raises(ValueError, match="two are needed"):
        split_noise([[1.0, 2.0], [3.0]])


def test_trials_are_repeated_where_the_noise_is() -> None:
    """A restart of ten minutes for a noise that lies in the trial is a night for nothing."""
    in_trials, in_starts = NoiseSplit(trial=0.1, visit=0.02), NoiseSplit(trial=0.01, visit=0.05)
    assert best_trials_per_visit(in_trials, visit_cost=180, trial_cost=60) == 9
    assert best_trials_per_visit(in_starts, visit_cost=180, trial_cost=60) == 1
    assert best_trials_per_visit(NoiseSplit(trial=0.1, visit=0), visit_cost=180, trial_cost=60) == 9


def test_a_hopeless_run_is_told_from_a_promising_one() -> None:
    draw = random.Random(2)
    hopeless = chance_of_verdict([0.3, -0.3, 0.2], Rules(), lambda: draw.gauss(0, 1))
    promising = chance_of_verdict([0.10, 0.16, 0.13], Rules(), lambda: draw.gauss(0, 1))
    assert hopeless < 0.3
    assert promising > 0.8


def test_an_outlier_is_seen_and_answered_not_dropped() -> None:
    assert outliers_of([1.0, 1.02, 0.5]) == (2,)
    assert outliers_of([1.0, 1.1, 0.95]) == ()
    assert extra_trials([1.0, 1.02, 0.5]) == 1
    assert extra_trials([1.0, 1.02, 1.01, 0.99, 0.5, 0.4, 0.3]) == 2


def test_a_noisy_machine_has_other_outliers() -> None:
    assert outliers_of([1.0, 1.02, 0.7], deviation=0.1) == ()

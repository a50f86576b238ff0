"""The interval of an effect, also where blocks say nothing: an experiment must not end in an error for its noise."""

import math

import pytest

from sparktune.experiment.effect import effect_of


def test_it_is_the_mean_of_the_log_ratios_with_a_t_interval() -> None:
    effect = effect_of([0.1, 0.2, 0.3], alpha=0.05, floor=0.005)

    assert effect.ratio == pytest.approx(math.exp(0.2))
    assert math.log(effect.high) - 0.2 == pytest.approx(4.302653 * 0.1 / math.sqrt(3), rel=1e-5)
    assert effect.wins == 3


def test_blocks_that_are_worlds_apart_have_an_interval_that_any_number_fits_in() -> None:
    effect = effect_of([-300.0, 0.0, 300.0], alpha=0.01, floor=0.005)

    assert 0 < effect.low < 1e-300
    assert 1e300 < effect.high < math.inf
    assert math.isfinite(1 / effect.low)

"""How often an idle trial errs, where the truth is known: a wrong verdict would move a thread for nothing.

The noise of a visit is 0.5 C, as zones of an idle machine have it, and the room drifts meanwhile.
"""

import math
import random
from collections.abc import Callable

import pytest
from tests.support.idle_trials import rates

from sparktune.experiment.verdict import Verdict

TRIALS = 500
NOISE = 0.5
Course = Callable[[float], float]


def _still(_draw: random.Random) -> Course:
    return lambda _hours: 0.0


def _steady(draw: random.Random) -> Course:
    slope = draw.choice([-4.0, 4.0])
    return lambda hours: slope * hours


def _warming_up(_draw: random.Random) -> Course:
    return lambda hours: 6 * (1 - math.exp(-hours / 0.3))


def _swinging(draw: random.Random) -> Course:
    start, hours_each = draw.random(), draw.uniform(0.3, 1.0)  # heating or cooling of a room, on and off
    return lambda hours: 1.5 * math.sin(2 * math.pi * (hours / hours_each + start))


WORLDS = {"still": _still, "steady": _steady, "warming up": _warming_up, "swinging": _swinging}


@pytest.mark.parametrize("world", WORLDS)
def test_a_thread_that_changes_nothing_is_called_cooler_or_hotter_in_at_most_5_percent(world: str) -> None:
    found = rates(0.0, WORLDS[world], NOISE, TRIALS, seed=1)

    assert found.get(Verdict.IMPROVED, 0.0) + found.get(Verdict.REGRESSED, 0.0) <= 0.05


@pytest.mark.parametrize("world", WORLDS)
def test_five_degrees_are_found_and_never_in_the_wrong_direction(world: str) -> None:
    found = rates(-5.0, WORLDS[world], NOISE, 100, seed=2)

    assert found[Verdict.IMPROVED] >= 0.98


@pytest.mark.parametrize("effect", [-1.0, 1.0])
def test_a_degree_is_called_no_difference_in_at_most_5_percent(effect: float) -> None:
    found = rates(effect, _steady, NOISE, TRIALS, seed=3)

    assert found.get(Verdict.EQUIVALENT, 0.0) <= 0.05


def test_no_difference_is_shown_on_a_quiet_machine() -> None:
    """Else the method could never say that moving does nothing, and nobody would learn it."""
    assert rates(0.0, _still, 0.1, 100, seed=4)[Verdict.EQUIVALENT] >= 0.9

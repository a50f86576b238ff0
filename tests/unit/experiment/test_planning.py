"""What is said before an experiment starts, and of going on."""

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.experiment.outliers import extra_trials, outliers_of
from sparktune.experiment.planning import (
    NoiseSplit,
    best_trials_per_visit,
    chance_of_verdict,
    provable_noise,
    smallest_detectable,
    split_noise,
)
from sparktune.experiment.rules import Rules
from sparktune.experiment.verdict import Verdict, judge

# The effect, in deviations of a block, that a paired t test finds with a power of 0.8: noncentral t, as printed tables
# and statistics libraries have it.
POWER_TABLE = [(3, 0.05, 3.2640), (5, 0.05, 1.6820), (8, 0.05, 1.1560), (3, 0.01, 7.3199), (5, 0.016, 2.3172)]


@pytest.mark.parametrize(("blocks", "alpha", "deviations"), POWER_TABLE)
def test_the_smallest_detectable_effect_is_that_of_the_t_test(blocks: int, alpha: float, deviations: float) -> None:
    found = math.log1p(smallest_detectable(0.02, blocks, alpha)) / 0.02
    assert found == pytest.approx(deviations, rel=0.001)


@pytest.mark.parametrize("deviation", [0.002, 0.01, 0.02, 0.057])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_can_be_detected_is_called_better_four_times_in_five(deviation: float, place: int) -> None:
    """A promise before a night of measuring: the verdict has a margin, which noise alone does not tell."""
    rules = Rules()
    look, draw, experiments = rules.looks[place], random.Random(place), 3000
    share = smallest_detectable(deviation, look.blocks, look.alpha, margin=rules.margin, floor=rules.floor)
    alone = replace(rules, looks=(look,))
    shown = sum(
        judge([draw.gauss(math.log1p(share), deviation) for _ in range(look.blocks)], alone).verdict is Verdict.IMPROVED
        for _ in range(experiments)
    )
    assert shown / experiments == pytest.approx(0.8, abs=0.03)  # four standard errors


def test_nothing_below_the_margin_is_promised_on_a_silent_machine() -> None:
    assert smallest_detectable(0.0001, 8, 0.03, margin=0.03) > 0.03


@pytest.mark.parametrize(("place", "share"), [(0, 0.05), (1, 0.05), (2, 0.05), (2, 0.02)])
def test_noise_that_proves_equal_arms_equal_does_so_four_times_in_five(place: int, share: float) -> None:
    rules = Rules(equivalence=share, only_equivalence=True)
    look, draw, experiments = rules.looks[place], random.Random(place), 3000
    deviation = provable_noise(share, look.blocks, look.alpha, floor=rules.floor)
    alone = replace(rules, looks=(look,))
    shown = sum(
        judge([draw.gauss(0, deviation) for _ in range(look.blocks)], alone).verdict is Verdict.EQUIVALENT
        for _ in range(experiments)
    )
    assert shown / experiments == pytest.approx(0.8, abs=0.03)


def test_a_margin_below_the_grain_of_clocks_is_never_proved() -> None:
    """Three blocks with the smallest deviation that is believed reach 2.9 %: a margin of 2 % lies inside of that."""
    assert provable_noise(0.02, 3, 0.01, floor=0.005) == 0


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


def test_a_chance_of_a_verdict_comes_true_as_often_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is told 60 % goes on for an hour: over machines of all kinds, what is told after three blocks has to come."""
    monkeypatch.setattr("sparktune.experiment.planning._SIMULATED", 60)
    rules, draw = Rules(), random.Random(20)
    told, came = [], []
    for _ in range(60):
        for deviation in (0.03, 0.057, 0.106):
            effect = math.log(draw.choice((1.0, 1.0, 1.03, 1.05, 1.1, 1.2)))
            ratios = [draw.gauss(effect, deviation) for _ in range(rules.last.blocks)]
            if judge(ratios[:3], rules).verdict is not None:
                continue
            told.append(chance_of_verdict(ratios[:3], rules, lambda: draw.gauss(0, 1)))
            later = [judge(ratios[: look.blocks], rules).verdict for look in rules.looks[1:]]
            came.append(any(verdict not in {None, Verdict.INCONCLUSIVE} for verdict in later))
    likely = [one for one, chance in zip(came, told, strict=True) if chance > 0.5]
    assert sum(told) / len(told) == pytest.approx(sum(came) / len(came), abs=0.12)
    assert sum(likely) / len(likely) > 0.55
    assert sum(came) - sum(likely) < 0.4 * (len(came) - len(likely))

"""The verdict in one sentence: effect, interval, blocks, order, wins; nothing is claimed between looks."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.support.blocks import GUARDS, decided_on, rates
from tests.support.experiments import visit

from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better
from sparktune.experiment.plan import VisitState
from sparktune.experiment.planning import Noise
from sparktune.experiment.verdict import Verdict
from sparktune.model.check import CheckResult, Status
from sparktune.report.ab.steps import next_steps
from sparktune.report.ab.text import result_text
from sparktune.report.ab.words import reasons, sentence, unproven_guards


def test_a_win_has_everything_in_one_sentence() -> None:
    result = decided_on([1.10, 1.12, 1.11], guards=GUARDS)
    assert sentence(result) == (
        "IMPROVED: B is +11.0 % [+5.4 %, +16.9 %] in m (3 blocks, AB BA AB, B won 3/3; 99.0 % interval); "
        "guards: ttft_s no worse by 10.0 % or more"
    )
    assert unproven_guards(result) == ""
    assert next_steps(result) == ("sparktune earned accept e1", "sparktune runs report e1")


def test_of_a_time_less_is_said_as_less() -> None:
    result = decided_on([0.8, 0.81, 0.79], better=Better.LOWER)
    assert sentence(result).startswith("IMPROVED: B is -20.0 % [-2")
    assert "B won 3/3" in sentence(result)


def test_a_regression_says_so() -> None:
    assert sentence(decided_on([0.8, 0.81, 0.79])).startswith("REGRESSED: B is -20.0 %")


def test_the_same_within_the_margin_is_a_result() -> None:
    result = decided_on([1.001, 0.999, 1.0])
    assert sentence(result).startswith("EQUIVALENT: B differs from A by less than 5.0 %: +0.0 % [")


def test_between_looks_nothing_is_claimed() -> None:
    """Who looks after every block finds something in every ninth experiment on nothing."""
    result = decided_on([1.3, 1.0, 1.2, 1.1])
    assert sentence(result) == "NO VERDICT YET: 4 of 8 blocks; nothing is claimed between looks"
    assert any("chance of a verdict by block 8" in reason for reason in reasons(result))


@pytest.mark.parametrize(("ratios", "blocks"), [([3.0], "1 block proves"), ([3.0, 2.9], "2 blocks prove")])
def test_too_few_blocks_are_an_anecdote(ratios: Sequence[float], blocks: str) -> None:
    result = decided_on(ratios)
    assert sentence(result).startswith(f"ANECDOTE: {blocks} nothing")
    assert "a verdict needs 3 blocks at least" in reasons(result)


def test_what_it_would_take_is_said_of_an_open_end() -> None:
    result = decided_on([1.2, 0.95, 1.1, 1.0, 1.15, 0.9, 1.2, 1.0])
    assert sentence(result).startswith("INCONCLUSIVE: B is +5.7 %")
    told = " ".join(reasons(result))
    assert "in four of five experiments" in told
    assert "blocks with this noise, or more trials per visit" in told


def test_an_effect_below_the_margin_is_said_to_be_there() -> None:
    result = decided_on([1.02, 1.021, 1.019, 1.02, 1.02, 1.021, 1.019, 1.02])
    assert result.verdict is Verdict.EQUIVALENT
    assert reasons(result) == ("there is an effect, but it is below the 3.0 % that are worth having",)


def test_invalid_names_the_rule_and_claims_no_effect() -> None:
    check = CheckResult(id="V01", status=Status.INVALID, evidence="98 % from a cache", hint="fresh prompts")
    result = decided_on([15.0, 16.0, 14.0], checks=[check])
    assert sentence(result) == "INVALID: V01: 98 % from a cache"
    assert "fresh prompts" in next_steps(result)
    assert "invalid V01: 98 % from a cache" in result_text(result)


def test_stopped_says_why() -> None:
    gone = visit(2, Arm.B, rates(1.0), state=VisitState.STOPPED, why="the server of arm B is gone:\nout of memory")
    assert sentence(decided_on([1.0], more=[gone])) == "STOPPED: the server of arm B is gone: out of memory"


def test_the_same_arm_that_differs_from_itself_is_an_alarm_and_no_win() -> None:
    result = decided_on([1.2, 1.21, 1.19], aa=True)
    assert sentence(result).startswith("INVALID: the same arm differs from itself")


def test_noise_is_told_with_the_trials_that_suit_it() -> None:
    noise = Noise(trial=0.05, visit=0.02, visits=6, visit_cost_s=60.0, trial_cost_s=10.0, best_trials=7)
    told = " ".join(reasons(replace(decided_on([1.0, 1.01, 0.99], aa=True), noise=noise)))
    assert "5.0 % from trial to trial, 2.0 % besides from visit to visit (6 visits)" in told
    assert "7 trials per visit tell most for their time: a trial costs 10 s, a visit 1 min 00 s besides" in told


def test_many_trials_that_stand_apart_are_an_unstable_environment() -> None:
    told = reasons(replace(decided_on([1.1, 1.0, 1.2]), outliers=5))
    assert any("unstable environment" in reason for reason in told)

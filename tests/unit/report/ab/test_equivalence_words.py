"""A question of equivalence has words of its own: the same, different, or what it would take to know; nobody wins."""

from collections.abc import Sequence
from dataclasses import replace

from tests.support.blocks import decided_on

from sparktune.experiment.conclude import conclude
from sparktune.experiment.result import ExperimentResult
from sparktune.experiment.verdict import Verdict
from sparktune.model.quality import QualityPlan
from sparktune.report.ab.steps import next_steps
from sparktune.report.ab.text import plan_text, result_text
from sparktune.report.ab.words import reasons, sentence


def _equivalence(ratios: Sequence[float], equivalence: float = 0.05) -> ExperimentResult:
    result = decided_on(ratios)
    plan = result.experiment
    rules = replace(plan.rules, only_equivalence=True, equivalence=equivalence)
    return conclude(replace(plan, rules=rules), result.visits, (), {}, lambda: 0.5)


def test_two_ways_that_are_the_same_are_said_to_be() -> None:
    said = sentence(_equivalence([1.001, 0.999, 1.0]))
    assert said.startswith("EQUIVALENT: B differs from A by less than 5.0 %")


def test_two_ways_that_differ_are_no_win_and_no_loss() -> None:
    for ratio in (1.2, 0.8):
        result = _equivalence([ratio, ratio * 1.01, ratio * 0.99])
        assert sentence(result).startswith("DIFFERENT: the two ways are not the same: B is ")
        assert next_steps(result)[0].startswith("find what differs")
        assert "worth having" not in result_text(result)


def test_an_open_question_of_equivalence_says_what_it_takes() -> None:
    result = _equivalence([1.05, 0.97, 1.06, 0.96, 1.04, 0.98, 1.05, 0.97])
    assert result.verdict is Verdict.INCONCLUSIVE
    told = "; ".join(reasons(result))
    assert "8 of them show 5.0 % when they differ by" in told
    assert "to show that equal arms are equal takes about" in told
    many = _equivalence([1.4, 0.6, 1.5, 0.7, 1.4, 0.6, 1.5, 0.7])
    assert "would take more than 100 blocks" in "; ".join(reasons(many))


def test_the_plan_of_an_equivalence_says_what_proves_the_margin() -> None:
    plan = _equivalence([1.0, 1.0, 1.0]).experiment
    text = plan_text(replace(plan, quality=QualityPlan(every="arm", canary=False)), ())
    assert "to be shown: two ways to run the same, within 5.0 % of each other; no arm can win" in text
    assert "proves 5.0 %, four times in five: 3 blocks when they differ by 0.6 % or less, 5 blocks" in text
    assert "asked after the trials of each arm's first visit, in no number of speed: 26 tool calls; B may lose" in text
    assert "worth having" not in text

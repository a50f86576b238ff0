"""What stands against a verdict is said beside it: a guard that is worse or not shown, a loss that a mean hides."""

import json
from dataclasses import replace

import pytest
from tests.support.blocks import decided_on, guard_result, rates
from tests.support.experiments import visit
from tests.support.reported import harm
from tests.support.schemas import promised

from sparktune.experiment.conclude import conclude
from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better
from sparktune.experiment.plan import GuardMetric, VisitState
from sparktune.experiment.result import ExperimentResult, GuardResult, GuardStatus
from sparktune.experiment.verdict import Verdict
from sparktune.model.quality import QualityPlan
from sparktune.report.ab.harm_words import harm_lines, standing_caveat
from sparktune.report.ab.json import result_json
from sparktune.report.ab.steps import next_steps
from sparktune.report.ab.text import result_text
from sparktune.report.ab.words import sentence, unproven_guards


@pytest.mark.parametrize(
    ("guards", "first", "step"),
    [
        (
            [guard_result(GuardStatus.HARMED, 0.63)],
            "IMPROVED, but guard decode_min_tok_s is WORSE (-37.0 %): B is +",
            "do not keep arm B",
        ),
        (
            [guard_result(GuardStatus.UNPROVEN, 0.95)],
            "IMPROVED, but guard decode_min_tok_s is not shown to hold (-5.0 %): B is +",
            "measure decode_min_tok_s again with more trials per visit",
        ),
        (
            [guard_result(GuardStatus.UNPROVEN, 0.95, "ttft_s"), guard_result(GuardStatus.HARMED, 0.63)],
            "IMPROVED, but guard decode_min_tok_s is WORSE (-37.0 %) and guard ttft_s is not shown to hold",
            "do not keep arm B",
        ),
    ],
)
def test_a_win_that_a_guard_does_not_bear_says_so_first(guards: list[GuardResult], first: str, step: str) -> None:
    """Who reads one line, or one badge, must not keep a setting that starves somebody."""
    declared = [
        GuardMetric(metric=one.metric, better=Better.LOWER if one.metric.startswith("ttft") else Better.HIGHER)
        for one in guards
    ]
    result = replace(decided_on([1.3, 1.31, 1.29], guards=declared), guards=tuple(guards))

    assert sentence(result).startswith(first)
    assert result_text(result).startswith(first)
    assert step in next_steps(result)[0]
    assert json.loads(result_json(result))["verdict"] == "IMPROVED", "the word of the contract stays"


def _hidden() -> ExperimentResult:
    """Return a win whose slowest stream got worse in one cell; the guard's mean is shown to hold."""
    return replace(decided_on([1.3, 1.31, 1.29]), guards=(guard_result(GuardStatus.OK, 1.0),), harms=(harm(),))


def test_harm_that_the_mean_hides_stands_next_to_the_verdict() -> None:
    """The verdict is what was declared; who reads two lines must know who pays for it."""
    result = _hidden()
    lines = result_text(result).splitlines()
    record = promised("ab", result_json(result))

    assert lines[0].startswith("IMPROVED: B is +30.0 %")
    assert lines[1] == (
        "WARNING: in pp2048 tg128 c8 decode_min_tok_s is -31.0 % [-36.5 %, -25.0 %]: more than 10.0 % worse, and "
        "hidden in the mean over 4 cells (99.0 % interval, widened as 8 were looked at)"
    )
    assert next_steps(result)[0].startswith("before you keep arm B, decide what pp2048 tg128 c8 is worth to you")
    assert record["verdict"] == "IMPROVED"
    assert [(one["metric"], one["cell"]) for one in record["cell_harms"]] == [("decode_min_tok_s", "pp2048 tg128 c8")]
    assert record["cell_harms"][0]["effect"]["ratio"] == pytest.approx(0.69, abs=0.001)
    assert lines[1].endswith(record["cell_harms"][0]["words"])


def test_many_losses_do_not_push_the_verdict_off_the_screen() -> None:
    result = _hidden()
    lines = harm_lines(result.harms * 9)

    assert len(lines) == 5
    assert lines[-1] == "WARNING: and in 5 more places: sparktune ab show --json has all of them"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "decode_min_tok_s is WORSE in pp2048 tg128 c8 (-31.0 %)"),
        (
            {"harms": (), "guards": (guard_result(GuardStatus.HARMED, 0.63),)},
            "guard decode_min_tok_s is WORSE (-37.0 %)",
        ),
        ({"harms": (), "guards": (guard_result(GuardStatus.OK, 1.0),)}, ""),
        ({"verdict": Verdict.INVALID}, ""),
        ({"verdict": None}, ""),
    ],
)
def test_a_list_tells_what_stands_against_a_verdict(changes: dict[str, object], words: str) -> None:
    """A line of a list is what many people read of an experiment of last week."""
    result = replace(_hidden(), **changes)  # type: ignore[arg-type]

    assert standing_caveat(result) == words


def test_a_guard_that_is_not_shown_keeps_a_setting_from_being_earned() -> None:
    harmed = visit(1, Arm.A, rates(1.0), state=VisitState.VOID)
    result = decided_on([1.2, 1.21, 1.19], guards=[GuardMetric(metric="unknown", better=Better.LOWER)], more=[harmed])
    assert "unknown not shown to be no worse by 10.0 %" in unproven_guards(result)


def test_answers_that_are_not_shown_to_hold_have_a_step_of_their_own() -> None:
    result = decided_on([1.2, 1.21, 1.19])
    plan = replace(result.experiment, quality=QualityPlan(canary=False))
    asked = conclude(plan, result.visits, (), {}, lambda: 0.5)
    assert sentence(asked).startswith("IMPROVED, but guard tool_calls is not shown to hold")
    assert "arm A: nothing was asked; arm B: nothing was asked" in unproven_guards(asked)
    assert next_steps(asked)[0].startswith("read what was answered before you keep arm B")

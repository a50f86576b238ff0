"""The verdict in one sentence: effect, interval, blocks, order, wins and guards; nothing is claimed between looks."""

import json
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from tests.support.experiments import CELLS, experiment, visit
from tests.support.reported import harm
from tests.support.schemas import promised

from sparktune.experiment.conclude import conclude
from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better, effect_of
from sparktune.experiment.plan import GuardMetric, Primary, VisitState
from sparktune.experiment.planning import Noise
from sparktune.experiment.result import ExperimentResult, GuardResult, GuardStatus, MeasuredVisit
from sparktune.experiment.verdict import Verdict
from sparktune.model.check import CheckResult, Status
from sparktune.model.experiment_row import ExperimentRow, ExperimentState
from sparktune.model.quality import QualityPlan
from sparktune.report.ab.harm_words import harm_lines, standing_caveat
from sparktune.report.ab.json import result_json, rows_json
from sparktune.report.ab.text import plan_text, result_text, rows_text
from sparktune.report.ab.words import next_steps, reasons, sentence, unproven_guards

CELL = CELLS[0]
GUARDS = (GuardMetric(metric="ttft_s", better=Better.LOWER),)


def _result(
    ratios: Sequence[float],
    *,
    better: Better = Better.HIGHER,
    checks: Sequence[CheckResult] = (),
    guards: Sequence[GuardMetric] = (),
    more: Sequence[MeasuredVisit] = (),
    aa: bool = False,
) -> ExperimentResult:
    """Return the result of blocks in which B's metric is so many times A's; TTFT stays what it is."""
    plan = replace(experiment(cells=[CELL], guards=guards, aa=aa), primary=Primary(metric="m", better=better))
    visits = [
        visit(number, arm, _values(100.0 * (ratio if arm is Arm.B else 1.0)), place=place)
        for number, ratio in enumerate(ratios, start=1)
        for place, arm in enumerate((Arm.A, Arm.B) if number % 2 else (Arm.B, Arm.A))
    ]
    draw = random.Random(1)
    return conclude(plan, [*visits, *more], checks, {}, lambda: draw.gauss(0, 1))


def _values(rate: float) -> Mapping[object, Mapping[str, Sequence[float]]]:
    return {CELL: {"m": (rate, rate, rate), "ttft_s": (0.5, 0.5, 0.5)}}  # type: ignore[dict-item]


def test_a_win_has_everything_in_one_sentence() -> None:
    result = _result([1.10, 1.12, 1.11], guards=GUARDS)
    assert sentence(result) == (
        "IMPROVED: B is +11.0 % [+5.4 %, +16.9 %] in m (3 blocks, AB BA AB, B won 3/3; 99.0 % interval); "
        "guards: ttft_s no worse by 10.0 % or more"
    )
    assert unproven_guards(result) == ""
    assert next_steps(result) == ("sparktune runs report e1",)


def test_of_a_time_less_is_said_as_less() -> None:
    result = _result([0.8, 0.81, 0.79], better=Better.LOWER)
    assert sentence(result).startswith("IMPROVED: B is -20.0 % [-2")
    assert "B won 3/3" in sentence(result)


def _guarded(status: GuardStatus, change: float, metric: str = "decode_min_tok_s") -> GuardResult:
    effect = effect_of([math.log(change + step) for step in (-0.01, 0.0, 0.01)], alpha=0.1, floor=0.005)
    return GuardResult(metric=metric, margin=0.1, status=status, effect=effect)


@pytest.mark.parametrize(
    ("guards", "first", "step"),
    [
        (
            [_guarded(GuardStatus.HARMED, 0.63)],
            "IMPROVED, but guard decode_min_tok_s is WORSE (-37.0 %): B is +",
            "do not keep arm B",
        ),
        (
            [_guarded(GuardStatus.UNPROVEN, 0.95)],
            "IMPROVED, but guard decode_min_tok_s is not shown to hold (-5.0 %): B is +",
            "measure decode_min_tok_s again with more trials per visit",
        ),
        (
            [_guarded(GuardStatus.UNPROVEN, 0.95, "ttft_s"), _guarded(GuardStatus.HARMED, 0.63)],
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
    result = replace(_result([1.3, 1.31, 1.29], guards=declared), guards=tuple(guards))

    assert sentence(result).startswith(first)
    assert result_text(result).startswith(first)
    assert step in next_steps(result)[0]
    assert json.loads(result_json(result))["verdict"] == "IMPROVED", "the word of the contract stays"


def _hidden() -> ExperimentResult:
    """Return a win whose slowest stream got worse in one cell; the guard's mean is shown to hold."""
    return replace(_result([1.3, 1.31, 1.29]), guards=(_guarded(GuardStatus.OK, 1.0),), harms=(harm(),))


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
        ({"harms": (), "guards": (_guarded(GuardStatus.HARMED, 0.63),)}, "guard decode_min_tok_s is WORSE (-37.0 %)"),
        ({"harms": (), "guards": (_guarded(GuardStatus.OK, 1.0),)}, ""),
        ({"verdict": Verdict.INVALID}, ""),
        ({"verdict": None}, ""),
    ],
)
def test_a_list_tells_what_stands_against_a_verdict(changes: dict[str, object], words: str) -> None:
    """A line of a list is what many people read of an experiment of last week."""
    result = replace(_hidden(), **changes)  # type: ignore[arg-type]

    assert standing_caveat(result) == words


def test_a_row_has_its_caveat_in_the_same_line() -> None:
    row = ExperimentRow(
        id="e1", created_wall_s=0.0, base_url="u", name="n", knob="k", metric="m", state=ExperimentState.DONE,
        verdict="IMPROVED", why="guard ttft_s is WORSE (+20.0 %)",
    )  # fmt: skip

    assert rows_text([row], {}).endswith("  BUT guard ttft_s is WORSE (+20.0 %)\n")
    assert row.said == "IMPROVED, but guard ttft_s is WORSE (+20.0 %)"
    assert replace(row, verdict="INCONCLUSIVE", why="it was ended").said == "INCONCLUSIVE"
    assert json.loads(rows_json([row], {}))["experiments"][0]["verdict"] == "IMPROVED", "the word of the contract stays"


def test_a_regression_says_so() -> None:
    assert sentence(_result([0.8, 0.81, 0.79])).startswith("REGRESSED: B is -20.0 %")


def test_the_same_within_the_margin_is_a_result() -> None:
    result = _result([1.001, 0.999, 1.0])
    assert sentence(result).startswith("EQUIVALENT: B differs from A by less than 5.0 %: +0.0 % [")


def test_between_looks_nothing_is_claimed() -> None:
    """Who looks after every block finds something in every ninth experiment on nothing."""
    result = _result([1.3, 1.0, 1.2, 1.1])
    assert sentence(result) == "NO VERDICT YET: 4 of 8 blocks; nothing is claimed between looks"
    assert any("chance of a verdict by block 8" in reason for reason in reasons(result))


@pytest.mark.parametrize(("ratios", "blocks"), [([3.0], "1 block proves"), ([3.0, 2.9], "2 blocks prove")])
def test_too_few_blocks_are_an_anecdote(ratios: Sequence[float], blocks: str) -> None:
    result = _result(ratios)
    assert sentence(result).startswith(f"ANECDOTE: {blocks} nothing")
    assert "a verdict needs 3 blocks at least" in reasons(result)


def test_what_it_would_take_is_said_of_an_open_end() -> None:
    result = _result([1.2, 0.95, 1.1, 1.0, 1.15, 0.9, 1.2, 1.0])
    assert sentence(result).startswith("INCONCLUSIVE: B is +5.7 %")
    told = " ".join(reasons(result))
    assert "in four of five experiments" in told
    assert "blocks with this noise, or more trials per visit" in told


def test_an_effect_below_the_margin_is_said_to_be_there() -> None:
    result = _result([1.02, 1.021, 1.019, 1.02, 1.02, 1.021, 1.019, 1.02])
    assert result.verdict is Verdict.EQUIVALENT
    assert reasons(result) == ("there is an effect, but it is below the 3.0 % that are worth having",)


def test_invalid_names_the_rule_and_claims_no_effect() -> None:
    check = CheckResult(id="V01", status=Status.INVALID, evidence="98 % from a cache", hint="fresh prompts")
    result = _result([15.0, 16.0, 14.0], checks=[check])
    assert sentence(result) == "INVALID: V01: 98 % from a cache"
    assert "fresh prompts" in next_steps(result)
    assert "invalid V01: 98 % from a cache" in result_text(result)


def test_stopped_says_why() -> None:
    gone = visit(2, Arm.B, _values(1.0), state=VisitState.STOPPED, why="the server of arm B is gone:\nout of memory")
    assert sentence(_result([1.0], more=[gone])) == "STOPPED: the server of arm B is gone: out of memory"


def test_the_same_arm_that_differs_from_itself_is_an_alarm_and_no_win() -> None:
    result = _result([1.2, 1.21, 1.19], aa=True)
    assert sentence(result).startswith("INVALID: the same arm differs from itself")


def test_a_guard_that_is_not_shown_keeps_a_setting_from_being_earned() -> None:
    harmed = visit(1, Arm.A, _values(1.0), state=VisitState.VOID)
    result = _result([1.2, 1.21, 1.19], guards=[GuardMetric(metric="unknown", better=Better.LOWER)], more=[harmed])
    assert "unknown not shown to be no worse by 10.0 %" in unproven_guards(result)


def test_noise_is_told_with_the_trials_that_suit_it() -> None:
    noise = Noise(trial=0.05, visit=0.02, visits=6, visit_cost_s=60.0, trial_cost_s=10.0, best_trials=7)
    told = " ".join(reasons(replace(_result([1.0, 1.01, 0.99], aa=True), noise=noise)))
    assert "5.0 % from trial to trial, 2.0 % besides from visit to visit (6 visits)" in told
    assert "7 trials per visit tell most for their time: a trial costs 10 s, a visit 1 min 00 s besides" in told


def test_text_keeps_what_does_not_count_and_says_why() -> None:
    lost = visit(4, Arm.B, _values(1.0), attempt=2, state=VisitState.VOID, why="interrupted")
    text = result_text(replace(_result([1.1, 1.12, 1.11], more=[lost]), afterwards="arm A is live", notes=("n",)))
    assert "not counted: block 4, attempt 2, arm B: interrupted" in text
    assert "now: arm A is live" in text
    assert "  1 AB: pp64 tg32 c1: A 100.0, B 110.0" in text
    assert text.startswith("IMPROVED")


def test_nothing_that_came_from_outside_steers_a_terminal() -> None:
    plan = replace(experiment(cells=[CELL]), name="a\x1b[2Jb", knob="c\nd")
    assert "\x1b" not in plan_text(plan, ())
    assert "experiment: a\\x1b[2Jb; c d differs" in plan_text(plan, ())


def test_json_has_the_shape_that_stays() -> None:
    record = json.loads(result_json(_result([1.10, 1.12, 1.11], guards=GUARDS)))
    assert record["schema"] == 1
    assert (record["run"], record["verdict"], record["primary"], record["blocks"]) == ("e1", "IMPROVED", "m", 3)
    assert set(record["effect"]) >= {"ratio", "low", "high", "confidence"}
    assert record["guards"][0]["status"] == "ok"
    assert record["checks"] == []
    assert math.isclose(record["effect"]["ratio"], 1.11, rel_tol=1e-3)


def test_what_is_not_known_is_null_with_a_why() -> None:
    record = json.loads(result_json(_result([1.1])))
    assert (record["verdict"], record["effect"], record["noise"]) == (None, None, None)
    assert record["anecdote"]
    assert record["why"]


def test_lists_say_what_still_holds_something() -> None:
    row = ExperimentRow(
        id="e1",
        created_wall_s=0.0,
        base_url="http://x/v1",
        name="n",
        knob="k",
        metric="m",
        state=ExperimentState.RUNNING,
        holds=True,
    )
    told = rows_text([row], {"e1": ""})
    assert "  killed  " in told
    assert "HOLDS SOMETHING: sparktune ab resume e1 --restore-only" in told
    (found,) = promised("experiments", rows_json([row], {"e1": ""}))["experiments"]
    assert (found["id"], found["owner"]) == ("e1", None)


def test_one_that_runs_is_not_called_left_behind() -> None:
    """It holds something because it works: to resume it would be wrong advice."""
    row = ExperimentRow(
        id="e1",
        created_wall_s=0.0,
        base_url="http://x/v1",
        name="n",
        knob="k",
        metric="m",
        state=ExperimentState.RUNNING,
        holds=True,
    )
    told = rows_text([row], {"e1": "pid 7 on spark1"})
    assert "RUNNING: pid 7 on spark1" in told
    assert "HOLDS" not in told
    assert "resume" not in told
    assert (
        promised("experiments", rows_json([row], {"e1": "pid 7 on spark1"}))["experiments"][0]["owner"]
        == "pid 7 on spark1"
    )


def test_text_shows_cells_guards_and_what_was_observed() -> None:
    """Cells are exploratory, and what is only observed decides nothing: both are said beside the numbers."""
    plan = replace(
        experiment(guards=GUARDS),
        primary=Primary(metric="ttft_s", better=Better.LOWER),
        guards=(GuardMetric(metric="m", better=Better.HIGHER),),
    )
    values = {
        arm: {
            cell: {"m": (100.0, 100.5, 99.5), "ttft_s": (wait, wait, wait), "e2e_s": (2 * wait, 2 * wait, 2 * wait)}
            for cell in CELLS
        }
        for arm, wait in ((Arm.A, 0.5), (Arm.B, 0.25))
    }
    visits = [visit(number, arm, values[arm], place=place) for number in (1, 2, 3) for place, arm in enumerate(Arm)]
    unknown = CheckResult(id="V12", status=Status.UNKNOWN, evidence="no capture size")
    fine = CheckResult(id="V06", status=Status.OK, evidence="equal work")
    draw = random.Random(1)
    text = result_text(conclude(plan, visits, [unknown, fine], {"e2e_s": Better.LOWER}, lambda: draw.gauss(0, 1)))
    assert text.startswith("IMPROVED: B is -50.0 % [-5")
    assert "  1 AB: pp64 tg32 c1: A 500.0 ms, B 250.0 ms; pp64 tg32 c2: A 500.0 ms, B 250.0 ms" in text
    assert "  pp64 tg32 c2: -50.0 % [-5" in text
    assert "], holds" in text
    assert "  m no worse by 10.0 % or more: +0.0 % [" in text
    assert "also observed (decides nothing):\n  e2e_s: -50.0 % [" in text
    assert "could not be evaluated: V12\nchecks ok: V06" in text


def test_many_trials_that_stand_apart_are_an_unstable_environment() -> None:
    told = reasons(replace(_result([1.1, 1.0, 1.2]), outliers=5))
    assert any("unstable environment" in reason for reason in told)


def _equivalence(ratios: Sequence[float], equivalence: float = 0.05) -> ExperimentResult:
    result = _result(ratios)
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


def test_answers_that_are_not_shown_to_hold_have_a_step_of_their_own() -> None:
    result = _result([1.2, 1.21, 1.19])
    plan = replace(result.experiment, quality=QualityPlan(canary=False))
    asked = conclude(plan, result.visits, (), {}, lambda: 0.5)
    assert sentence(asked).startswith("IMPROVED, but guard tool_calls is not shown to hold")
    assert "arm A: nothing was asked; arm B: nothing was asked" in unproven_guards(asked)
    assert next_steps(asked)[0].startswith("read what was answered before you keep arm B")

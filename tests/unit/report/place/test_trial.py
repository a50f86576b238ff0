"""A trial for people and for scripts: the verdict with its interval first, what was not measured, the next step."""

from dataclasses import replace

import pytest
from tests.support import reported
from tests.support.idle_trials import plan_of, visit_of
from tests.support.schemas import promised

from sparktune.experiment.design import Arm
from sparktune.experiment.effect import effect_of
from sparktune.experiment.idle_result import IdleResult, conclude_idle
from sparktune.experiment.idle_trial import HOTTEST_ZONE, Sensor
from sparktune.experiment.load_cost import CostStatus, LoadCost
from sparktune.experiment.result import GuardResult, GuardStatus
from sparktune.experiment.verdict import Verdict
from sparktune.report.place.trial import trial_json, trial_plan_text, trial_text
from sparktune.report.place.trial_words import TrialReport, cost_words, idle_words, next_steps

_COLD = (52.1, 52.0, 52.0)


def _idle(seconds: tuple[float, ...] = _COLD, ended: str = "") -> IdleResult:
    """Return the result of blocks in which A has 57 C, 56.9 C and so on."""
    plan = plan_of(seed=2)
    visits = []
    for block, second in zip(plan.blocks, seconds, strict=False):
        for place, arm in enumerate(block.visits):
            value = 57.0 - block.number / 100 if arm is Arm.A else second
            visits.append(visit_of(block.number, place, arm, {HOTTEST_ZONE: (Sensor.HEAT, value)}))
    return conclude_idle(plan, visits, ended)


def _cost(status: CostStatus = CostStatus.SHOWN, *guards: GuardResult) -> LoadCost:
    effect = effect_of([0.001, -0.001, 0.002], alpha=0.01, floor=0.001)
    return LoadCost(
        experiment="x1", metric="output_tok_s", status=status, verdict=Verdict.EQUIVALENT, effect=effect, guards=guards
    )


def _report(idle: IdleResult | None, cost: LoadCost | None = None, **more: object) -> TrialReport:
    trial = replace(idle.trial if idle else plan_of(seed=2), title="certain: it wanted a whole core")
    return TrialReport(trial=trial, idle=idle, cost=cost, why_idle="no sensor", why_load="no --endpoint", **more)  # type: ignore[arg-type]


def test_the_first_line_has_both_verdicts_with_their_intervals() -> None:
    first = trial_text(_report(_idle(), _cost())).splitlines()[0]

    assert first.startswith("IMPROVED: 4.9 C cooler [4.4, 5.5] (99.0 % interval, 3 blocks AB BA AB); ")
    assert first.endswith(
        "tokens per second (output_tok_s) not lower by more than 3.0 %: shown: +0.1 % [-0.8 %, +0.9 %], 3 blocks"
    )


def test_what_was_not_measured_is_said_and_promises_nothing() -> None:
    text = trial_text(_report(_idle()))

    assert "tokens per second: not measured (no --endpoint)" in text
    assert "power: the node tells none" in text
    assert "before you keep it, see what it costs" in text
    assert "place pin" not in text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        ((), "NO VERDICT: no block is complete"),
        ((52.0,), "ANECDOTE: 1 block proves nothing"),
        ((52.0, 52.1), "ANECDOTE: 2 blocks prove nothing; it was 4.9 C cooler"),
        ((52.0, 55.0, 57.0), "NO VERDICT YET: 3 of 8 blocks"),
        ((58.9, 59.0, 59.0), "REGRESSED: 2.0 C hotter ["),
        ((57.0, 57.0, 57.0, 57.0, 57.0), "EQUIVALENT: no difference of 0.5 C or more: +0.0 C ["),
        ((52.0, 58, 55, 57, 56, 57, 53, 57), "INCONCLUSIVE: no difference is shown, nor that there is none: "),
    ],
)
def test_every_verdict_has_its_words(seconds: tuple[float, ...], words: str) -> None:
    assert idle_words(_idle(seconds)).startswith(words)


def test_why_it_ended_early_is_said() -> None:
    assert idle_words(_idle((52.0,), "the thread has ended")).endswith("(the thread has ended)")
    assert "; the thread has ended" in idle_words(_idle((52.0, 55.0, 57.0), "the thread has ended"))


_HARMED = GuardResult(metric="ttft_s", margin=0.1, status=GuardStatus.HARMED, effect=None)


@pytest.mark.parametrize(
    ("report", "step"),
    [
        (_report(_idle(), _cost()), "keep it: sparktune place pin 11@spark2 --cpus 0-1"),
        (_report(_idle(), _cost(CostStatus.LOWER)), "leave it as it is: moving it costs speed"),
        (_report(_idle(), _cost(CostStatus.SHOWN, _HARMED)), "leave it as it is: moving it costs speed"),
        (_report(_idle(), _cost(CostStatus.OPEN)), "what it costs is open"),
        (_report(_idle((58.9, 59.0, 59.0))), "leave it as it is: moving it wins nothing"),
        (_report(_idle((52.0,))), "again, while nothing runs"),
        (_report(None, _cost()), "under load: sparktune ab show x1"),
        (_report(_idle(), None, held=True), "give the thread back its CPUs: sparktune place trial --undo"),
    ],
)
def test_the_next_step_follows_from_both_parts(report: TrialReport, step: str) -> None:
    assert next_steps(report)[0].startswith(step)


_OPEN = GuardResult(metric="ttft_s", margin=0.1, status=GuardStatus.UNPROVEN, effect=None)


@pytest.mark.parametrize(
    ("report", "first"),
    [
        (
            _report(_idle(), _cost(CostStatus.SHOWN, _HARMED)),
            "IMPROVED, but under load ttft_s WORSE by more than 10.0 %",
        ),
        (
            _report(_idle(), _cost(CostStatus.LOWER, _OPEN, _HARMED)),
            "IMPROVED, but under load output_tok_s is WORSE by more than 3.0 %, ttft_s WORSE by more than 10.0 %, ttft",
        ),
        (_report(_idle(), _cost(CostStatus.SHOWN, _OPEN)), "IMPROVED, but under load ttft_s not shown to be no worse"),
        (_report(None, _cost(CostStatus.SHOWN, _HARMED)), "under load ttft_s WORSE by more than 10.0 %; at idle: not"),
        (_report(_idle(), _cost()), "IMPROVED: 4.9 C cooler"),
    ],
)
def test_what_it_costs_is_in_the_same_breath_as_the_gain(report: TrialReport, first: str) -> None:
    """Who reads five words must not move a thread that costs somebody the first token."""
    assert trial_text(report).startswith(first)
    assert bool(promised("place-trial", trial_json(report))["objections"]) is (first != "IMPROVED: 4.9 C cooler")


def test_a_guard_that_is_not_shown_is_no_reason_to_keep_it() -> None:
    """Asking to pin a thread whose cost nobody has shown was a step too far."""
    steps = next_steps(_report(_idle(), _cost(CostStatus.SHOWN, _OPEN)))

    assert steps[0].startswith("what it costs is open; with more --trials")
    assert not any("place pin" in step for step in steps)


def test_a_cell_that_got_worse_is_told_before_it_is_kept() -> None:
    report = _report(_idle(), replace(_cost(), harms=(reported.harm(),)))

    assert trial_text(report).splitlines()[1].startswith("WARNING: in pp2048 tg128 c8 decode_min_tok_s is -31.0 % [")
    assert next_steps(report)[0].startswith("before you keep it, decide what pp2048 tg128 c8 is worth to you")
    assert promised("place-trial", trial_json(report))["load"]["cell_harms"][0]["metric"] == "decode_min_tok_s"


def test_a_thread_that_only_likely_polls_is_pinned_by_who_says_so() -> None:
    report = _report(_idle(), _cost())
    likely = replace(report, trial=replace(report.trial, title="likely: it wanted a whole core"))

    assert next_steps(likely)[0].endswith("--accept-likely")


def test_a_trial_that_may_still_hold_its_thread_does_not_say_that_it_is_back() -> None:
    text = trial_text(_report(_idle((52.0,)), held=True))

    assert "it MAY STILL HAVE CPUs 0-1" in text
    assert "again" not in text


def test_json_has_null_with_a_reason_for_what_is_not_known() -> None:
    found = promised("place-trial", trial_json(_report(None)))

    assert found["schema"] == 1
    assert (found["idle"], found["idle_why"]) == (None, "no sensor")
    assert (found["load"], found["load_why"]) == (None, "no --endpoint")
    assert found["cpus"] == {"a": "0-3", "b": "0-1"}


def test_json_has_the_effect_the_blocks_and_what_it_costs() -> None:
    found = promised("place-trial", trial_json(_report(_idle(), _cost())))

    assert found["idle"]["verdict"] == "IMPROVED"
    assert found["idle"]["effect"]["mean"] == pytest.approx(-4.95, abs=0.05)
    assert [block["order"] for block in found["idle"]["blocks"]] == ["AB", "BA", "AB"]
    assert found["load"]["not_lower"] == "shown"


def test_the_plan_says_how_long_it_takes_and_how_it_is_undone() -> None:
    text = trial_plan_text(plan_of(seed=2), idle="", load="no --endpoint")

    assert "takes 18 min 00 s to 48 min 00 s; a verdict after 3 or 5 or 8 blocks" in text
    assert "in the end it has CPUs 0-3 again" in text
    assert "under load: not measured, no --endpoint" in text
    assert "sparktune place trial --undo" in text


def test_costs_that_are_not_shown_say_so() -> None:
    assert "3.0 %: it IS lower by more" in cost_words(_cost(CostStatus.LOWER), "")
    assert "3.0 %: not shown" in cost_words(_cost(CostStatus.OPEN), "")


@pytest.mark.parametrize(("held", "lines"), [(False, 1), (True, 2)])
def test_a_part_under_load_that_broke_off_is_named_so_that_somebody_can_go_on(*, held: bool, lines: int) -> None:
    """Nothing else comes first: neither keeping it, nor a new trial beside a thread that is moved."""
    steps = next_steps(_report(_idle(), _cost(CostStatus.OPEN), unended="x1", held=held))

    assert steps[0] == "the part under load was interrupted; go on with it: sparktune ab resume x1"
    assert [step.endswith("sparktune ab resume x1 --restore-only") for step in steps[1:]] == [True] * (lines - 1)

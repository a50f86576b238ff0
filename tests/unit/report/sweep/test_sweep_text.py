"""What a tired person reads of a sweep: the verdict first, what chose apart from what decided, and what to do next."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from tests.support import reported
from tests.support.experiments import experiment
from tests.support.schemas import promised
from tests.support.sweep_world import swept
from tests.support.swept import won

from sparktune.cli._sweep_show import exit_code_of
from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better, Effect
from sparktune.experiment.result import BlockResult, ExperimentResult, GuardResult, GuardStatus
from sparktune.experiment.sweep_result import SweepResult
from sparktune.experiment.verdict import Judgement, Verdict
from sparktune.model.sweep import (
    BASELINE,
    Candidate,
    Constraint,
    Estimate,
    Pruned,
    Stage,
    Standing,
    SweepState,
    SweepVisit,
    VisitEnd,
    VisitTask,
)
from sparktune.report.sweep.html import sweep_page
from sparktune.report.sweep.json import result_json, result_record, rows_json
from sparktune.report.sweep.text import plan_text, result_text, rows_text
from sparktune.report.sweep.words import best_words, change_words, learned_words, next_steps, sentence, task_words

_BEST = Candidate(key="flag:--x=2", values={"flag:--x": "2"})
_WORSE = Candidate(key="flag:--x=1", values={"flag:--x": "1"})
_BROKEN = Candidate(key="flag:--x=3", values={"flag:--x": "3"})
_KNOWN = (
    Estimate(candidate=Candidate(key=BASELINE), standing=Standing.BASELINE, log_ratio=0.0, visits=2),
    Estimate(candidate=_BEST, standing=Standing.CHOSEN, log_ratio=0.0953, error=0.02, stage=Stage.RACE, visits=4),
    Estimate(candidate=_WORSE, standing=Standing.OUT, log_ratio=-0.1054, stage=Stage.SCREEN, visits=1, why="slower"),
    Estimate(candidate=_BROKEN, standing=Standing.INFEASIBLE, stage=Stage.SCREEN, why="out of memory"),
)
_VISITS = (
    SweepVisit(number=1, stage=Stage.SCREEN, block=0, key=BASELINE, end=VisitEnd.MEASURED, log_value=4.605, took_s=60),
    SweepVisit(number=2, stage=Stage.SCREEN, block=0, key=_BROKEN.key, end=VisitEnd.INFEASIBLE, why="out of memory"),
)


def _result(confirmed: ExperimentResult | None = None, **changes: Any) -> SweepResult:  # noqa: ANN401 - of the record
    record, umbrella = swept(
        pruned=(Pruned(key="flag:--x=9", why="it is set as flag:--x=2 is", rule="same"),),
        constraints=(Constraint(metric="ttft_s", at="most", limit=1.5),),
        budget_s=7200.0,
    )
    return SweepResult(
        record=replace(record, **changes),
        experiment=umbrella,
        visits=_VISITS,
        known=_KNOWN,
        left=3,
        confirmed=confirmed,
    )


def _confirmed(verdict: Verdict | None, ratio: float = 1.1) -> ExperimentResult:
    effect = Effect(ratio=ratio, low=ratio * 0.95, high=ratio * 1.05, confidence=0.99, blocks=3, deviation=0.02, wins=3)
    block = BlockResult(number=1, order=(Arm.A, Arm.B), values={Arm.A: {}, Arm.B: {}}, ratio=0.1)
    return ExperimentResult(
        experiment=replace(experiment(), id="c1"),
        verdict=verdict,
        judgement=Judgement(verdict=verdict, effect=effect),
        blocks=(block, block, block),
        afterwards="the original (arm A) is live: x = 0",
    )


_WON: dict[str, Any] = {"winner": _BEST.key, "confirm": "c1", "state": SweepState.DONE, "why": "it led the race"}


def test_a_winner_is_what_fresh_blocks_confirmed() -> None:
    lines = result_text(_result(_confirmed(Verdict.IMPROVED), **_WON)).splitlines()

    assert lines[0].startswith("WINNER, confirmed on fresh blocks: flag:--x=2; IMPROVED: it is +10.0 % [")
    assert "(3 blocks, it won 3/3; " in lines[0], "A and B are words of ab, and say nothing here"
    assert lines[lines.index("confirmation (fresh blocks; it alone decides):") + 1].startswith(
        "  experiment c1: IMPROVED: flag:--x=2 is +10.0 % ["
    )
    assert "next: sparktune earned accept c1" in lines


def test_a_winner_of_the_race_that_was_not_confirmed_is_none() -> None:
    result = _result(_confirmed(Verdict.INCONCLUSIVE), **_WON)

    assert sentence(result).startswith("NO WINNER: fresh blocks did not confirm flag:--x=2; INCONCLUSIVE: ")
    assert not result.won
    assert result_record(result)["verdict"] == "none"


def test_what_leads_before_it_is_confirmed_claims_nothing() -> None:
    words = sentence(_result(winner=_BEST.key))

    assert words.startswith("NOT CONFIRMED YET: flag:--x=2 looked best, +10.0 % (+- 2.0 %) in output_tok_s over 4")
    assert words.endswith("what chose it proves nothing")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"state": SweepState.DONE, "why": "nothing looked better"}, "NO WINNER: nothing looked better"),
        ({"state": SweepState.RUNNING}, "NO RESULT YET: 2 visits made, 3 to come at most"),
        (
            {"state": SweepState.INTERRUPTED, "why": "a node was lost"},
            "NO RESULT YET: 2 visits made, 3 to come at most",
        ),
    ],
)
def test_without_a_winner_it_says_so(changes: dict[str, Any], words: str) -> None:
    assert sentence(_result(**changes)).startswith(words)


def test_stages_are_apart_and_what_did_not_run_has_its_reason() -> None:
    text = result_text(_result(_confirmed(Verdict.IMPROVED), **_WON))
    order = [
        "confirmation (fresh blocks; it alone decides):",
        "race (output_tok_s; it chose whom to confirm):",
        "  flag:--x=2  +10.0 % (+- 2.0 %), 4 visits  chosen",
        "screening (output_tok_s, one visit each; it chose who races):",
        "  flag:--x=1  -10.0 %, 1 visit  out: slower",
        "did not run, or not validly (recorded, and not tried again):",
        "  flag:--x=3: out of memory",
        "left out before any start:",
        "  flag:--x=9: it is set as flag:--x=2 is (same)",
        "now: the original (arm A) is live: x = 0",
    ]
    places = [text.splitlines().index(line) for line in order]

    assert places == sorted(places)


def test_what_the_budget_left_unvisited_is_named() -> None:
    """A value that is in no list looks as if it had been tried."""
    left = Estimate(candidate=_BROKEN, standing=Standing.OUT, why="not visited: the search ended before")
    result = replace(_result(state=SweepState.DONE), known=(*_KNOWN[:3], left))

    assert "not visited: flag:--x=3" in result_text(result).splitlines()


def test_a_metric_of_which_less_is_better_is_shown_as_it_changed() -> None:
    """As ab shows it: a wait that became shorter has a minus."""
    assert change_words(_KNOWN[1], Better.HIGHER) == "+10.0 % (+- 2.0 %)"
    assert change_words(_KNOWN[1], Better.LOWER) == "-9.1 % (+- 2.0 %)"


def test_the_live_view_says_what_is_tried_what_was_learned_and_what_is_left() -> None:
    result = _result()
    task = VisitTask(stage=Stage.RACE, block=1, candidate=_BEST, why="block 1 of 2")

    assert task_words(result, task) == (
        "visit 3 of at most 5, race: setting flag:--x=2 (block 1 of 2); 1 min 00 s of 2 h 00 min used"
    )
    assert learned_words(result, _VISITS[0]) == "the baseline: output_tok_s 99.98; it took 1 min 00 s"
    assert learned_words(result, _VISITS[1]) == "flag:--x=3 does not run: out of memory"
    best = "best so far (chooses, proves nothing): flag:--x=2 +10.0 % (+- 2.0 %)"
    assert best_words(result) == f"{best}; at most 3 visits to come, about 3 min 00 s"


def test_what_is_worse_than_the_baseline_is_not_called_the_best() -> None:
    """While only a worse value was visited, it would stand there as if it were something to have."""
    result = _result()
    worse = tuple(replace(one, log_ratio=-abs(one.log_ratio)) if one.log_ratio else one for one in _KNOWN)

    words = best_words(replace(result, known=worse))

    assert words.startswith("nothing looks better than the baseline so far; at most 3 visits to come")


@pytest.mark.parametrize(("status", "kept"), [(GuardStatus.OK, True), (GuardStatus.UNPROVEN, False)])
def test_what_would_be_refused_is_no_next_step(status: GuardStatus, *, kept: bool) -> None:
    """A winner with an open guard earns nothing: earned accept would say so and end with 5."""
    result = won()
    assert result.confirmed is not None
    guards = (GuardResult(metric="ttft_s", margin=0.1, status=status, effect=None, why=""),)
    steps = next_steps(replace(result, confirmed=replace(result.confirmed, guards=guards)))

    assert any("earned accept" in step for step in steps) is kept
    assert any("ab show" in step for step in steps)


def _guarded(status: GuardStatus) -> SweepResult:
    """Return a sweep whose winner is better on fresh blocks, with one guard that stands so."""
    effect = Effect(ratio=0.63, low=0.6, high=0.66, confidence=0.9, blocks=3, deviation=0.02, wins=0)
    guard = GuardResult(metric="decode_min_tok_s", margin=0.1, status=status, effect=effect)
    return _result(replace(_confirmed(Verdict.IMPROVED), guards=(guard,)), **_WON)


@pytest.mark.parametrize(
    ("status", "first", "word", "code", "step"),
    [
        (GuardStatus.OK, "WINNER, confirmed on fresh blocks: flag:--x=2; ", "winner", 0, "sparktune earned accept"),
        (
            GuardStatus.HARMED,
            "NO WINNER: flag:--x=2 gains at the price of a guard; IMPROVED, but guard decode_min_tok_s is WORSE",
            "none",
            5,
            "do not keep flag:--x=2 for this alone: decode_min_tok_s got worse",
        ),
        (
            GuardStatus.UNPROVEN,
            "NOT PROVEN: flag:--x=2 gains, and a guard is not shown to hold; IMPROVED, but guard decode_min_tok_s",
            "unproven",
            5,
            "measure decode_min_tok_s again with more trials per visit",
        ),
    ],
    ids=lambda one: one.value if isinstance(one, GuardStatus) else "",
)
def test_only_what_may_be_used_is_a_winner(status: GuardStatus, first: str, word: str, code: int, step: str) -> None:
    """A script that reads the exit code, a reader of one word and a reader of one line must all not keep harm."""
    result = _guarded(status)

    assert sentence(result).startswith(first)
    assert promised("sweep", result_json(result))["verdict"] == word
    assert json.loads(rows_json([result], {}))["sweeps"][0]["verdict"] == word
    assert f"  {word} " in rows_text([result], {})
    assert next_steps(result)[0].startswith(step)
    assert any("earned accept" in one for one in next_steps(result)) is (status is GuardStatus.OK)
    assert ("WINNER, CONFIRMED" in sweep_page(result)) is (status is GuardStatus.OK)
    assert int(exit_code_of(result)) == code


def test_a_page_of_harm_says_so_in_its_badge() -> None:
    page = sweep_page(_guarded(GuardStatus.HARMED))

    assert "<title>NO WINNER: A GUARD IS WORSE" in page
    assert page.count("NO WINNER: A GUARD IS WORSE") == 2


def test_harm_that_the_mean_hides_stands_below_the_headline() -> None:
    confirmed = replace(_confirmed(Verdict.IMPROVED), harms=(reported.harm(),))
    result = _result(confirmed, **_WON)
    warning = "WARNING: in pp2048 tg128 c8 decode_min_tok_s is -31.0 % ["

    assert result_text(result).splitlines()[1].startswith(warning)
    assert warning in sweep_page(result)
    assert promised("sweep", result_json(result))["confirmation"]["cell_harms"][0]["cell"] == "pp2048 tg128 c8"
    assert next_steps(result)[0].startswith("before you keep flag:--x=2, decide what pp2048 tg128 c8 is worth to you")
    assert result_record(result)["verdict"] == "winner", "the declared test stays what it is"


def test_before_anything_is_compared_it_says_how_long_the_rest_takes_at_the_real_pace() -> None:
    """The plan's guess is of a large model; of a small server it would be wrong by an hour after the first visit."""
    result = replace(_result(), visits=_VISITS[:1], known=_KNOWN[:1], left=9)

    assert best_words(result) == "at most 9 visits to come, about 9 min 00 s"
    assert best_words(replace(result, record=replace(result.record, plan=replace(result.plan, visit_s=None)))) == (
        "at most 9 visits to come, about 9 min 00 s"
    )


@pytest.mark.parametrize(("better", "words"), [(Better.HIGHER, "0.5"), (Better.LOWER, "2")])
def test_a_rate_below_one_is_shown_as_it_is(better: Better, words: str) -> None:
    result, visit = _result(), replace(_VISITS[0], log_value=math.log(0.5))
    primary = replace(result.experiment.primary, better=better)
    result = replace(result, experiment=replace(result.experiment, primary=primary))

    assert learned_words(result, visit) == f"the baseline: output_tok_s {words}; it took 1 min 00 s"


def test_the_plan_says_what_is_tried_and_what_is_left_out() -> None:
    result = _result()
    text = plan_text(result.record, result.experiment, ("starts: 9",))

    assert "  flag:--x: 1, 2, 3 (now 0)" in text
    assert "must hold: ttft_s<=1.5 in every cell" in text
    assert "left out before any start:" in text
    assert text.endswith("starts: 9\n")


def test_json_has_the_same_and_nulls_for_what_is_not_known() -> None:
    record = json.loads(result_json(_result()))

    assert record["schema"] == 1
    assert record["winner"] is None
    assert record["confirmation"] is None
    assert [one["key"] for one in record["known"]] == [one.candidate.key for one in _KNOWN]
    assert record["known"][3]["log_ratio"] is None
    assert record["visits"][1]["why"] == "out of memory"
    assert record["next"] == ["sparktune sweep resume e1"]


def test_a_list_says_which_are_running_and_which_were_killed() -> None:
    killed, running = _result(), _result(id="e2")
    rows = rows_text([killed, running], {"e2": "pid 7"}).splitlines()

    assert "killed" in rows[0]
    assert "RUNNING: pid 7" in rows[1]

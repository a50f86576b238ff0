"""What a tired person reads of a sweep: the verdict first, what chose apart from what decided, and what to do next."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from tests.support.sweep_results import BEST, BROKEN, KNOWN, VISITS, WON, confirmed_by, sweep_result

from sparktune.experiment.effect import Better
from sparktune.experiment.verdict import Verdict
from sparktune.model.sweep import (
    Estimate,
    Stage,
    Standing,
    SweepState,
    VisitTask,
)
from sparktune.report.sweep.json import result_json, result_record
from sparktune.report.sweep.text import plan_text, result_text, rows_text
from sparktune.report.sweep.words import best_words, change_words, learned_words, sentence, task_words


def test_a_winner_is_what_fresh_blocks_confirmed() -> None:
    lines = result_text(sweep_result(confirmed_by(Verdict.IMPROVED), **WON)).splitlines()

    assert lines[0].startswith("WINNER, confirmed on fresh blocks: flag:--x=2; IMPROVED: it is +10.0 % [")
    assert "(3 blocks, it won 3/3; " in lines[0], "A and B are words of ab, and say nothing here"
    assert lines[lines.index("confirmation (fresh blocks; it alone decides):") + 1].startswith(
        "  experiment c1: IMPROVED: flag:--x=2 is +10.0 % ["
    )
    assert "next: sparktune earned accept c1" in lines


def test_a_winner_of_the_race_that_was_not_confirmed_is_none() -> None:
    result = sweep_result(confirmed_by(Verdict.INCONCLUSIVE), **WON)

    assert sentence(result).startswith("NO WINNER: fresh blocks did not confirm flag:--x=2; INCONCLUSIVE: ")
    assert not result.won
    assert result_record(result)["verdict"] == "none"


def test_what_leads_before_it_is_confirmed_claims_nothing() -> None:
    words = sentence(sweep_result(winner=BEST.key))

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
    assert sentence(sweep_result(**changes)).startswith(words)


def test_stages_are_apart_and_what_did_not_run_has_its_reason() -> None:
    text = result_text(sweep_result(confirmed_by(Verdict.IMPROVED), **WON))
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
    left = Estimate(candidate=BROKEN, standing=Standing.OUT, why="not visited: the search ended before")
    result = replace(sweep_result(state=SweepState.DONE), known=(*KNOWN[:3], left))

    assert "not visited: flag:--x=3" in result_text(result).splitlines()


def test_a_metric_of_which_less_is_better_is_shown_as_it_changed() -> None:
    """As ab shows it: a wait that became shorter has a minus."""
    assert change_words(KNOWN[1], Better.HIGHER) == "+10.0 % (+- 2.0 %)"
    assert change_words(KNOWN[1], Better.LOWER) == "-9.1 % (+- 2.0 %)"


def test_the_live_view_says_what_is_tried_what_was_learned_and_what_is_left() -> None:
    result = sweep_result()
    task = VisitTask(stage=Stage.RACE, block=1, candidate=BEST, why="block 1 of 2")

    assert task_words(result, task) == (
        "visit 3 of at most 5, race: setting flag:--x=2 (block 1 of 2); 1 min 00 s of 2 h 00 min used"
    )
    assert learned_words(result, VISITS[0]) == "the baseline: output_tok_s 99.98; it took 1 min 00 s"
    assert learned_words(result, VISITS[1]) == "flag:--x=3 does not run: out of memory"
    best = "best so far (chooses, proves nothing): flag:--x=2 +10.0 % (+- 2.0 %)"
    assert best_words(result) == f"{best}; at most 3 visits to come, about 3 min 00 s"


def test_what_is_worse_than_the_baseline_is_not_called_the_best() -> None:
    """While only a worse value was visited, it would stand there as if it were something to have."""
    result = sweep_result()
    worse = tuple(replace(one, log_ratio=-abs(one.log_ratio)) if one.log_ratio else one for one in KNOWN)

    words = best_words(replace(result, known=worse))

    assert words.startswith("nothing looks better than the baseline so far; at most 3 visits to come")


def test_before_anything_is_compared_it_says_how_long_the_rest_takes_at_the_real_pace() -> None:
    """The plan's guess is of a large model; of a small server it would be wrong by an hour after the first visit."""
    result = replace(sweep_result(), visits=VISITS[:1], known=KNOWN[:1], left=9)

    assert best_words(result) == "at most 9 visits to come, about 9 min 00 s"
    assert best_words(replace(result, record=replace(result.record, plan=replace(result.plan, visit_s=None)))) == (
        "at most 9 visits to come, about 9 min 00 s"
    )


@pytest.mark.parametrize(("better", "words"), [(Better.HIGHER, "0.5"), (Better.LOWER, "2")])
def test_a_rate_below_one_is_shown_as_it_is(better: Better, words: str) -> None:
    result, visit = sweep_result(), replace(VISITS[0], log_value=math.log(0.5))
    primary = replace(result.experiment.primary, better=better)
    result = replace(result, experiment=replace(result.experiment, primary=primary))

    assert learned_words(result, visit) == f"the baseline: output_tok_s {words}; it took 1 min 00 s"


def test_the_plan_says_what_is_tried_and_what_is_left_out() -> None:
    result = sweep_result()
    text = plan_text(result.record, result.experiment, ("starts: 9",))

    assert "  flag:--x: 1, 2, 3 (now 0)" in text
    assert "must hold: ttft_s<=1.5 in every cell" in text
    assert "left out before any start:" in text
    assert text.endswith("starts: 9\n")


def test_json_has_the_same_and_nulls_for_what_is_not_known() -> None:
    record = json.loads(result_json(sweep_result()))

    assert record["schema"] == 1
    assert record["winner"] is None
    assert record["confirmation"] is None
    assert [one["key"] for one in record["known"]] == [one.candidate.key for one in KNOWN]
    assert record["known"][3]["log_ratio"] is None
    assert record["visits"][1]["why"] == "out of memory"
    assert record["next"] == ["sparktune sweep resume e1"]


def test_a_list_says_which_are_running_and_which_were_killed() -> None:
    killed, running = sweep_result(), sweep_result(id="e2")
    rows = rows_text([killed, running], {"e2": "pid 7"}).splitlines()

    assert "killed" in rows[0]
    assert "RUNNING: pid 7" in rows[1]

"""A winner of a sweep that harms somebody, or is not shown not to, is called no winner in any form."""

import json
from dataclasses import replace

import pytest
from tests.support import reported
from tests.support.page_words import unbound
from tests.support.schemas import promised
from tests.support.sweep_results import WON, confirmed_by, sweep_result
from tests.support.swept import won

from sparktune.cli._sweep.show import exit_code_of
from sparktune.experiment.effect import Effect
from sparktune.experiment.result import GuardResult, GuardStatus
from sparktune.experiment.sweep_result import SweepResult
from sparktune.experiment.verdict import Verdict
from sparktune.report.sweep.html import sweep_page
from sparktune.report.sweep.json import result_json, result_record, rows_json
from sparktune.report.sweep.text import result_text, rows_text
from sparktune.report.sweep.words import next_steps, sentence


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
    return sweep_result(replace(confirmed_by(Verdict.IMPROVED), guards=(guard,)), **WON)


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
    confirmed = replace(confirmed_by(Verdict.IMPROVED), harms=(reported.harm(),))
    result = sweep_result(confirmed, **WON)
    warning = "WARNING: in pp2048 tg128 c8 decode_min_tok_s is -31.0 % ["

    assert result_text(result).splitlines()[1].startswith(warning)
    assert warning in unbound(sweep_page(result))
    assert promised("sweep", result_json(result))["confirmation"]["cell_harms"][0]["cell"] == "pp2048 tg128 c8"
    assert next_steps(result)[0].startswith("before you keep flag:--x=2, decide what pp2048 tg128 c8 is worth to you")
    assert result_record(result)["verdict"] == "winner", "the declared test stays what it is"

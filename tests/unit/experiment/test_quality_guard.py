"""Answers of two arms as guards: what is lost, what that proves, and what is only unknown."""

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.support.experiments import CELLS, experiment, visit

from sparktune.bench.quality.battery import BATTERY
from sparktune.bench.quality.canary_prompts import CANARY
from sparktune.experiment.conclude import conclude
from sparktune.experiment.design import Arm
from sparktune.experiment.paired_counts import loss_p, paired_counts
from sparktune.experiment.result import GuardResult, GuardStatus, MeasuredVisit
from sparktune.experiment.verdict import Verdict
from sparktune.model.quality import CanaryAnswer, ItemResult, ItemState, Quality, QualityPlan
from sparktune.report.ab.words import sentence

_NAMES = [item.id for item in BATTERY]


def _answers(
    wrong: Sequence[str] = (), *, text: str = "fine", garbled: Sequence[str] = (), unknown: str = ""
) -> Quality:
    items = tuple(
        ItemResult(
            id=name,
            state=ItemState.UNKNOWN if unknown else ItemState.FAIL if name in wrong else ItemState.PASS,
            why=unknown,
        )
        for name in _NAMES
    )
    canary = tuple(CanaryAnswer(id=name, text=text, garbled="loops" if name in garbled else "") for name in CANARY)
    return Quality(items=items, canary=canary, unknown=unknown)


def _visits(first: Sequence[Quality | None], second: Sequence[Quality | None]) -> list[MeasuredVisit]:
    found = []
    for number, pair in enumerate(zip(first, second, strict=True), 1):
        for place, (arm, quality) in enumerate(zip(Arm, pair, strict=True)):
            rate = 100.0 if arm is Arm.A else 130.0
            values = {cell: {"output_tok_s": (rate, rate * 1.01, rate * 0.99)} for cell in CELLS}
            one = visit(number, arm, values, place=place)
            found.append(replace(one, record=replace(one.record, quality=quality)))
    return found


def _guards(
    first: Sequence[Quality | None], second: Sequence[Quality | None], plan: QualityPlan | None = None
) -> dict[str, GuardResult]:
    asked = replace(experiment(), quality=plan or QualityPlan())
    result = conclude(asked, _visits(first, second), (), {}, lambda: random.Random(1).gauss(0, 1))
    assert result.verdict is Verdict.IMPROVED, "answers never change what is said of speed"
    return {guard.metric: guard for guard in result.guards}


def test_the_same_answers_are_shown_to_hold() -> None:
    guards = _guards([_answers()] * 3, [_answers()] * 3)
    assert [guard.status for guard in guards.values()] == [GuardStatus.OK, GuardStatus.OK]
    assert "A 26/26, B 26/26 right; B lost none; at most 10.9 % are lost" in guards["tool_calls"].why
    assert "identical: 100.0 % within A, 100.0 % within B, 100.0 % between; no proof of quality" in guards["canary"].why


def test_five_lost_and_none_gained_is_worse() -> None:
    guards = _guards([_answers()] * 3, [_answers(_NAMES[:5])] * 3)
    assert guards["tool_calls"].status is GuardStatus.HARMED
    assert "B lost 5" in guards["tool_calls"].why
    assert guards["canary"].status is GuardStatus.OK


def test_three_lost_are_chance_and_prove_nothing() -> None:
    guards = _guards([_answers()] * 3, [_answers(_NAMES[:3])] * 3)
    assert guards["tool_calls"].status is GuardStatus.UNPROVEN
    assert "one-function, one-function-stream, required" in guards["tool_calls"].why


def test_losses_beside_as_many_gains_are_no_loss() -> None:
    guards = _guards([_answers(_NAMES[5:10])] * 3, [_answers(_NAMES[:5])] * 3)
    assert guards["tool_calls"].status is GuardStatus.UNPROVEN


def test_asking_the_same_more_often_proves_no_more() -> None:
    """The question is the unit: eight visits of one arm answer alike, and are not eight times the evidence."""
    few, many = (_guards([_answers()] * n, [_answers(_NAMES[:4])] * n)["tool_calls"] for n in (3, 8))
    assert few.status is many.status is GuardStatus.UNPROVEN
    assert few.why == many.why


def test_an_arm_that_had_nothing_right_can_lose_nothing_and_that_is_no_proof() -> None:
    guards = _guards([_answers(_NAMES)] * 3, [_answers(_NAMES)] * 3)
    assert guards["tool_calls"].status is GuardStatus.UNPROVEN
    assert "of nothing that A had right, nothing can be lost" in guards["tool_calls"].why


def test_a_server_without_tools_is_unknown_in_its_own_words() -> None:
    without = _answers(unknown="the server answers 400: auto tool choice requires a parser")
    guards = _guards([without] * 3, [_answers()] * 3)
    assert guards["tool_calls"].status is GuardStatus.UNPROVEN
    assert guards["tool_calls"].why == "arm A: the server answers 400: auto tool choice requires a parser"


def test_garbled_answers_of_one_arm_are_worse() -> None:
    guards = _guards([_answers()] * 3, [_answers(garbled=list(CANARY)[:6], text="ha ha")] * 3)
    assert guards["canary"].status is GuardStatus.HARMED
    assert "0.0 % between" in guards["canary"].why


def test_only_what_was_asked_is_a_guard() -> None:
    assert set(_guards([_answers()] * 3, [_answers()] * 3, QualityPlan(canary=False))) == {"tool_calls"}


def test_asked_once_per_arm_is_judged_by_those_visits() -> None:
    guards = _guards([_answers(), None, None], [_answers(_NAMES[:6]), None, None], QualityPlan(every="arm"))
    assert guards["tool_calls"].status is GuardStatus.HARMED
    assert "within A" not in guards["canary"].why


def test_the_verdict_has_a_loss_in_the_same_breath() -> None:
    asked = replace(experiment(), quality=QualityPlan())
    visits = _visits([_answers()] * 3, [_answers(_NAMES[:7])] * 3)
    result = conclude(asked, visits, (), {}, lambda: 0.5)
    assert sentence(result).startswith("IMPROVED, but guard tool_calls is WORSE")


@pytest.mark.parametrize(
    ("lost", "gained", "p"), [(0, 0, 1.0), (5, 0, 0.03125), (4, 0, 0.0625), (6, 1, 0.0625), (3, 3, 0.65625)]
)
def test_mcnemar_is_the_sign_test_of_what_differs(lost: int, gained: int, p: float) -> None:
    assert loss_p(lost, gained) == pytest.approx(p)


def test_no_loss_is_called_one_in_at_most_5_percent() -> None:
    """Two arms alike, each wrong by chance in a tenth of the questions: how often is one called worse?"""
    draw, called, runs = random.Random(3), 0, 4000
    for _ in range(runs):
        arms = [{name: float(draw.random() > 0.1) for name in _NAMES} for _ in range(2)]
        counts = paired_counts(*arms)
        called += bool(counts.lost) and loss_p(len(counts.lost), len(counts.gained)) <= 0.05
    assert called / runs <= 0.05

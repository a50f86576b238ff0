"""Verdicts of idle trials, from what each visit measured: only what blocks show is concluded."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.idle_trials import plan_of, visit_of
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.experiment.design import Arm
from sparktune.experiment.idle_result import conclude_idle
from sparktune.experiment.idle_trial import HOTTEST_ZONE, IdleState, IdleVisit, Reading, Sensor

_CASES = yaml_cases(Path(__file__).parent / "place_trial")
_KEYS = frozenset({"name", "why", "visits", "ended", "expect"})
_EXPECT_KEYS = frozenset({"verdict", "mean", "blocks", "drift", "anecdote", "below_margin", "voids", "why", "flag"})


def _visits(texts: list[str]) -> list[IdleVisit]:
    """Return visits of ``A=57.0 WORD``, two a block; a void one does not take a place in its block."""
    found: list[IdleVisit] = []
    place = 0
    for text in texts:
        said, _, word = text.partition(" ")
        arm, _, value = said.partition("=")
        heat = {HOTTEST_ZONE: (Sensor.HEAT, float(value))} if value else {}
        told: dict[str, Any] = {
            "void": {"state": IdleState.VOID, "why": "a request ran"},
            "sleeps": {"demand": 0.1},
            "untold": {"idle": None, "untold": ("requests",)},
            "again": {"attempt": 2},
        }.get(word, {})
        if word == "rises":
            told = {"readings": {HOTTEST_ZONE: Reading(kind=Sensor.HEAT, mean=float(value), rise=0.8)}}
        visit = visit_of(1 + place // 2, place % 2, Arm(arm), heat, **told)
        found.append(visit)
        place += word != "void" or texts[texts.index(text) + 1].partition(" ")[2] != "again"
    return found


@pytest.mark.parametrize(("_file", "case"), _CASES)
def test_verdict(_file: str, case: dict[str, Any]) -> None:
    refuse_unknown(case, _KEYS)
    expect = case["expect"]
    refuse_unknown(expect, _EXPECT_KEYS)

    found = conclude_idle(plan_of(), _visits(case["visits"]), case.get("ended", ""))

    assert (found.verdict.value if found.verdict else None) == expect["verdict"], found
    assert found.judgement.anecdote == expect.get("anecdote", False)
    assert found.judgement.below_margin == expect.get("below_margin", False)
    assert len(found.voids) == expect.get("voids", 0)
    assert expect.get("why", "") in found.why
    assert not found.why or "why" in expect
    assert any(expect["flag"] in one for one in found.flags) if "flag" in expect else not found.flags
    if "blocks" in expect:
        assert len(found.blocks) == expect["blocks"]
    if "mean" in expect:
        assert found.judgement.effect is not None
        assert found.judgement.effect.mean == pytest.approx(expect["mean"], abs=0.05)
    if "drift" in expect:
        assert found.drift == (expect["drift"] if expect["drift"] is None else pytest.approx(expect["drift"], abs=0.5))

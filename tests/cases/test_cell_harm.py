"""Harm in one cell that the mean over cells hides: told beside the verdict, which stays what was declared."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.experiments import experiment, visit
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.experiment.conclude import conclude
from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better
from sparktune.experiment.plan import GuardMetric
from sparktune.experiment.result import ExperimentResult, MeasuredVisit
from sparktune.experiment.rules import Rules
from sparktune.model.cell import Cell
from sparktune.model.check import CheckResult, Status
from sparktune.report.ab.harm_words import harm_lines

_CASES = yaml_cases(Path(__file__).parent / "cell_harm")
_KEYS = frozenset({"name", "why", "cells", "guards", "weights", "better", "invalid", "equivalence", "expect"})
_EXPECT_KEYS = frozenset({"verdict", "guard", "harms", "words"})
_METRICS = {"output_tok_s": 100.0, "decode_min_tok_s": 20.0, "ttft_s": 0.5}
_SHORT = ("c1", "c2", "c4", "c8")


def _concluded(case: Mapping[str, Any]) -> tuple[ExperimentResult, Mapping[str, str]]:
    """Return what a case comes to, and the short name of each cell by its label."""
    cells = {name: Cell(prompt_tokens=64, output_tokens=32, concurrency=int(name[1:])) for name in _short(case)}
    plan = experiment(
        cells=list(cells.values()),
        guards=[
            GuardMetric(metric=name, better=_way(name), margin=margin)
            for name, margin in case.get("guards", {}).items()
        ],
        weights={cells[name].label: weight for name, weight in case.get("weights", {}).items()},
    )
    plan = replace(plan, rules=Rules(only_equivalence=case.get("equivalence", False)))
    checks = [CheckResult(id="V01", status=Status.INVALID, evidence="cached")] if case.get("invalid") else []
    draw = random.Random(1)
    result = conclude(plan, _visits(case["better"], cells), checks, {}, lambda: draw.gauss(0, 1))
    return result, {cell.label: name for name, cell in cells.items()}


def _short(case: Mapping[str, Any]) -> Sequence[str]:
    return case.get("cells", _SHORT)


def _way(metric: str) -> Better:
    return Better.LOWER if metric.endswith("ttft_s") else Better.HIGHER


def _visits(better: Mapping[str, Any], cells: Mapping[str, Cell]) -> list[MeasuredVisit]:
    draw = random.Random(2)
    count = max(len(ratios) for by_cell in better.values() for ratios in by_cell.values() if ratios)
    return [
        visit(
            number,
            arm,
            {cell: {m: _value(better, m, name, number, arm, draw) for m in _METRICS} for name, cell in cells.items()},
            place=place,
        )
        for number in range(1, count + 1)
        for place, arm in enumerate((Arm.A, Arm.B) if number % 2 else (Arm.B, Arm.A))
    ]


def _value(
    better: Mapping[str, Any], metric: str, cell: str, block: int, arm: Arm, draw: random.Random
) -> Sequence[float | None]:
    ratios = better.get(metric, {}).get(cell, ())
    if ratios is None:
        return (None, None, None)
    ratio = ratios[block - 1] if ratios and arm is Arm.B else 1.0
    value = _METRICS[metric] * (ratio if _way(metric) is Better.HIGHER else 1 / ratio) * (1 + draw.gauss(0, 0.005))
    return (value, value, value)


@pytest.mark.parametrize(("_file", "case"), _CASES)
def test_harm(_file: str, case: dict[str, Any]) -> None:
    refuse_unknown(case, _KEYS)
    expect = case["expect"]
    refuse_unknown(expect, _EXPECT_KEYS)

    result, names = _concluded(case)

    assert (result.verdict.value if result.verdict else None) == expect["verdict"]
    assert [f"{harm.metric} {names[harm.cell]}" for harm in result.harms] == expect["harms"]
    if "guard" in expect:
        assert result.guards[0].status.value == expect["guard"]
    for harm, line in zip(result.harms, harm_lines(result.harms), strict=True):
        assert line.startswith(f"WARNING: in {harm.cell} {harm.metric} is ")
        assert harm.effect.high < 1 / (1 + harm.margin)
        assert expect.get("words", "hidden in the mean over 4 cells") in line

"""A gain of another model is no gain of the setting: what answered is compared over all visits of an experiment."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.experiments import CELLS, experiment, visit
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.experiment.checked import checks_of
from sparktune.experiment.design import Arm
from sparktune.experiment.plan import Experiment, VisitState
from sparktune.experiment.result import MeasuredVisit
from sparktune.experiment.rules import Rules
from sparktune.experiment.visit_checks import visit_checks

_CASES = yaml_cases(Path(__file__).parent / "answering")
_KEYS = frozenset({"name", "why", "knob", "a", "b", "A", "B", "equivalence", "expect"})
_VALUES = {cell: {"output_tok_s": (100.0, 101.0, 99.0)} for cell in CELLS}


@pytest.mark.parametrize(("_file", "case"), _CASES)
def test_what_answered(_file: str, case: Mapping[str, Any]) -> None:
    refuse_unknown(dict(case), _KEYS)
    found = {check.id: check for check in checks_of(_experiment(case), _visits(case))}

    for check_id, expected in case["expect"].items():
        if expected == "absent":
            assert check_id not in found
            continue
        status, _, evidence = expected.partition(": ")
        check = found[check_id]
        assert check.status.value == status, check
        assert evidence in check.evidence
        assert check.hint or status == "unknown"


def test_a_visit_that_did_not_end_says_nothing_of_the_arm() -> None:
    """Its block is measured again; what answered in it is in no number."""
    first, second = (
        _answered(visit(1, Arm.A, _VALUES, attempt=attempt), name) for attempt, name in ((1, "x"), (2, "m"))
    )
    void = replace(first, record=replace(first.record, state=VisitState.VOID))

    assert [check.id for check in visit_checks(experiment(), [void, second]) if check.id == "V18"] == []


def _experiment(case: Mapping[str, Any]) -> Experiment:
    plan = experiment()
    arms = {Arm.A: case.get("a", plan.arms[Arm.A]), Arm.B: case.get("b", plan.arms[Arm.B])}
    rules = Rules(only_equivalence=case.get("equivalence", False))
    return replace(plan, arms=arms, knob=case.get("knob", plan.knob), rules=rules)


def _visits(case: Mapping[str, Any]) -> list[MeasuredVisit]:
    return [
        _answered(visit(number, arm, _VALUES, place=place), case[arm.value][number - 1])
        for number in range(1, len(case["A"]) + 1)
        for place, arm in enumerate(Arm)
    ]


def _answered(one: MeasuredVisit, what: str) -> MeasuredVisit:
    """Return the visit with this model, and this engine where one is told."""
    assert one.result is not None
    model, _, engine = what.partition("|")
    name, _, version = (engine or "llamacpp").partition(" ")
    run = one.result.run
    options = replace(run.workload.options, model=model)
    run = replace(
        run,
        workload=replace(run.workload, options=options),
        engine=replace(run.engine, name=name, version=version or None),
    )
    return replace(one, result=replace(one.result, run=run))

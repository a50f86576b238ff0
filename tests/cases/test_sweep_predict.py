"""Predictions before a restart: numbers that can be worked out by hand, and nothing where nothing is known."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import load_yaml

from sparktune.deploy.sweep_limits import Ground
from sparktune.deploy.sweep_space import candidate_of
from sparktune.experiment.search.predict import Acceptance, predictions
from sparktune.report.sweep.predict import prediction_lines

_CASES = load_yaml(Path(__file__).parent / "sweep" / "predict.yaml")


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case["name"])
def test_prediction(case: dict[str, Any]) -> None:
    refuse_unknown(case, frozenset({"name", "engine", "ground", "acceptance", "candidate", "expect"}))
    candidate, counted = candidate_of(case["candidate"]), case.get("acceptance")
    ground = Ground(engine=case["engine"], **case.get("ground", {}))
    acceptance = Acceptance(shares=tuple(counted["shares"]), rounds=counted.get("rounds")) if counted else None

    found = predictions((candidate,), ground, acceptance)

    assert len(found) == len(case["expect"]), found
    for one, expect in zip(found, case["expect"], strict=True):
        assert one.key == candidate.key
        assert (one.metric, one.at_most) == (expect["metric"], expect["at_most"])
        assert one.value == pytest.approx(expect["value"], abs=5e-4)
        assert one.step_ratio == (pytest.approx(expect["step_ratio"], abs=5e-4) if "step_ratio" in expect else None)
        for part in expect["why"]:
            assert part in one.why
    assert len(list(prediction_lines(found))) == (1 + 2 * len(found) if found else 0)

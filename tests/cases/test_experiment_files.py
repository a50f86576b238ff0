"""What experiment files mean, and that every fault is told with its line and what to do."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.yaml_cases import yaml_cases

from sparktune.errors import UsageError
from sparktune.experiment.request import Request
from sparktune.io.experiment_file import read_experiment_file, request_of

CASES = yaml_cases(Path(__file__).parent / "experiments")


def _request(folder: Path, text: str) -> Request:
    path = folder / "e.yaml"
    path.write_text(text, encoding="utf-8")
    values, fault = read_experiment_file(path)
    return request_of(values, 1, fault)


@pytest.mark.parametrize(("_", "case"), [one for one in CASES if "expect" in one.values[1]])
def test_a_file_means(tmp_path: Path, _: str, case: dict[str, Any]) -> None:
    request = _request(tmp_path, case["file"])
    found = {
        "base_url": request.base_url,
        "knob": request.knob,
        "cells": len(request.workload.cells),
        "trials": request.workload.trials,
        "metric": request.primary.metric,
        "better": request.primary.better.value,
        "guards": {guard.metric: guard.margin for guard in request.guards},
        "blocks": request.blocks,
        "margin": request.margin,
        "equivalence": request.equivalence,
        "nodes": list(request.nodes),
        "aa": request.aa,
        "equivalence_test": request.only_equivalence,
        "quality": request.quality is not None,
    }
    assert {name: found[name] for name in case["expect"]} == case["expect"]


@pytest.mark.parametrize(("_", "case"), [one for one in CASES if "error" in one.values[1]])
def test_a_fault_is_told(tmp_path: Path, _: str, case: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as caught:
        _request(tmp_path, case["file"])
    assert case["error"].replace("`", "") in str(caught.value).replace("`", "")
    assert case.get("hint", "") in caught.value.hint
    if "line" in case:
        assert f"e.yaml:{case['line']}:" in str(caught.value)

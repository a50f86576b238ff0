"""Every metric against waves whose times are small whole numbers, so that a reader can work out the answer."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.trials import make_spec_cell, make_trial, refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.bench.evaluate import all_metrics
from sparktune.model.metric import Unknown
from sparktune.model.options import Slo

_CASES = yaml_cases(Path(__file__).parent / "metrics")
_METRICS = {metric.name: metric for metric in all_metrics()}
_KEYS = frozenset(
    {"name", "streams", "counters", "gauges", "depth", "slo", "values", "unknown", "turns", "health", "own"}
)


@pytest.mark.parametrize(("name", "case"), _CASES)
def test_metric(name: str, case: dict[str, Any]) -> None:
    refuse_unknown(case, _KEYS)
    streams = case.get("streams", [{"outputs": [100, 110]}])
    mix = {key: case[key] for key in ("turns", "own") if key in case}
    cell = make_spec_cell({"streams": 1 if mix else max(1, len(streams)), "depth": case.get("depth", 0), **mix})
    wave = {key: case[key] for key in ("counters", "gauges", "health") if key in case} | {"streams": streams}

    actual = _METRICS[name].compute(make_trial(wave, cell=cell), Slo(**case.get("slo", {})))

    if "unknown" in case:
        assert isinstance(actual, Unknown)
        assert case["unknown"] in actual.why
        assert "{" not in actual.why
    else:
        assert actual == pytest.approx(tuple(case["values"]), rel=1e-12)


@pytest.mark.parametrize("name", _METRICS)
def test_every_metric_has_cases_for_a_value_and_for_no_value(name: str) -> None:
    cases = [param.values[1] for param in _CASES if param.values[0] == name]

    assert any("values" in case for case in cases)
    assert any("unknown" in case for case in cases)

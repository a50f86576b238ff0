"""Every aspect of drift against what nodes answered.

``drift_aspects/NAME.yaml`` (the aspect's file) has what was seen (``tests.support.drift_views``) and the rows to
``expect``: key, node and status whole; layers as they are shown; parts of ``why`` and ``hint``.
"""

from pathlib import Path
from typing import Any

import pytest
from tests.support.drift_views import drift_view
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.drift.aspects import all_aspects
from sparktune.model.drift import DriftCell, DriftRow, DriftStatus

_ASPECTS = {aspect.id: aspect for aspect in all_aspects()}
_CASES = yaml_cases(Path(__file__).parent / "drift_aspects")
_LAYERS = ("earned", "file", "live")
_ROW = frozenset({"key", "node", "part", "status", "also", "why", "hint", "survives", *_LAYERS})


@pytest.mark.parametrize(("stem", "case"), _CASES)
def test_aspect(stem: str, case: dict[str, Any]) -> None:
    aspect = _ASPECTS[stem.replace("_", "-")]

    rows = aspect.rows(drift_view(case, aspect))

    assert [(row.key, row.node) for row in rows] == [(one["key"], one["node"]) for one in case["expect"]]
    for row, expected in zip(rows, case["expect"], strict=True):
        assert row.aspect == aspect.id
        _compare(row, expected)


@pytest.mark.parametrize("aspect", [one for one in _ASPECTS if one != "settings"])  # drift_settings.yaml has its cases
def test_every_aspect_has_cases_that_drift_and_that_do_not(aspect: str) -> None:
    cases = [param.values[1] for param in _CASES if param.values[0].replace("_", "-") == aspect]
    drifts = [any(DriftStatus(row["status"]).is_drift for row in case["expect"]) for case in cases]

    assert set(drifts) == {True, False}


def _compare(row: DriftRow, expected: dict[str, Any]) -> None:
    refuse_unknown(expected, _ROW)
    assert row.status.value == expected["status"], row
    assert sorted(one.value for one in row.also) == sorted(expected.get("also", [])), row
    assert row.part == expected.get("part", row.part)
    for layer in _LAYERS:
        if layer in expected:
            assert _shown(getattr(row, layer)) == expected[layer], row
    for words in _listed(expected.get("why", "")):
        assert words in row.why
    if row.status.is_drift:
        assert row.why, "drift that does not say what parts from what"
    assert expected.get("hint", "") in row.hint
    if "survives" in expected:
        assert row.survives is expected["survives"]
    assert "\n" not in row.why + row.hint


def _shown(cell: DriftCell | None) -> str | None:
    return None if cell is None else cell.text or cell.state.value


def _listed(value: Any) -> list[str]:  # noqa: ANN401 - what a case has
    return value if isinstance(value, list) else [value]

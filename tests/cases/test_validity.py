"""Every check against cells whose answer is plain: as it should be, flagged, and not decidable."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.evidence import make_cell_evidence, make_run_evidence
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.bench.evaluate import all_checks
from sparktune.model.check import Status

_CASES = yaml_cases(Path(__file__).parent / "validity")
_CHECKS = {check.id: check for check in all_checks()}
_KEYS = frozenset(
    {"name", "cell", "engine", "fixed_length", "cold_reference", "trials", "warmups", "contexts", "warmup"}
    | {"others", "expect"}
)
_EXPECT_KEYS = frozenset({"status", "evidence", "hint", "label"})


@pytest.mark.parametrize(("check_id", "case"), _CASES)
def test_check(check_id: str, case: dict[str, Any]) -> None:
    refuse_unknown(case, _KEYS)
    refuse_unknown(case["expect"], _EXPECT_KEYS)
    cell = make_cell_evidence(case)

    result = _CHECKS[check_id].run(cell, make_run_evidence(case, cell))

    expected = case["expect"]
    assert (result.id, result.status) == (check_id, Status(expected["status"])), result.evidence
    assert str(expected.get("evidence", "")) in result.evidence
    assert expected.get("hint", "") in result.hint
    assert result.label == expected.get("label", result.label)
    assert "\n" not in result.evidence
    assert (result.status is Status.OK) <= (not result.hint), "what is in order needs no next step"


@pytest.mark.parametrize("check_id", _CHECKS)
def test_every_check_has_cases_for_all_its_answers(check_id: str) -> None:
    """A check that cannot be flagged, or that calls a missing counter fine, is worse than none."""
    statuses = {param.values[1]["expect"]["status"] for param in _CASES if param.values[0] == check_id}

    assert "ok" in statuses
    assert statuses & {"warn", "invalid"}
    assert "unknown" in statuses or check_id == "V19"

"""Every rule of tables against tables whose answer is plain: in order, flagged, and not to be decided."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.bench.imports import SourceFile, read_table
from sparktune.experiment.checks import all_table_checks
from sparktune.model.check import Status
from sparktune.model.table import Table
from sparktune.model.table_check import TableContext

_CASES = yaml_cases(Path(__file__).parent / "table_checks")
_CHECKS = {check.id: check for check in all_table_checks()}
_KEYS = frozenset({"name", "why", "table", "series", "facts", "cold", "expect"})
_EXPECT_KEYS = frozenset({"status", "evidence", "hint", "label", "void"})
_NEVER_UNKNOWN = frozenset({"V07"})  # what it does not know is what it says


def _table(case: dict[str, Any]) -> Table:
    table = read_table(SourceFile(name="case.csv", data=case["table"].encode()))
    series = case.get("series", {})
    rows = [replace(row, series=series.get(place, {})) for place, row in enumerate(table.rows)]
    return replace(table, rows=tuple(rows), facts={**table.facts, **case.get("facts", {})})


@pytest.mark.parametrize(("check_id", "case"), _CASES)
def test_table_check(check_id: str, case: dict[str, Any]) -> None:
    refuse_unknown(case, _KEYS)
    refuse_unknown(case["expect"], _EXPECT_KEYS)
    table, context = _table(case), TableContext(cold_reference_tok_s=case.get("cold"))
    expected = case["expect"]

    result = _CHECKS[check_id].run(table, context)

    assert (result.id, result.status) == (check_id, Status(expected["status"])), result.evidence
    assert str(expected.get("evidence", "")) in result.evidence
    assert expected.get("hint", "") in result.hint
    assert result.label == expected.get("label", result.label)
    assert sorted(_CHECKS[check_id].voids(table, context)) == expected.get("void", [])
    assert "\n" not in result.evidence
    assert (result.status is Status.OK) <= (not result.hint), "what is in order needs no next step"


@pytest.mark.parametrize("check_id", _CHECKS)
def test_every_rule_has_cases_for_all_its_answers(check_id: str) -> None:
    """A rule that cannot be flagged, or that calls what is missing fine, is worse than none."""
    statuses = {param.values[1]["expect"]["status"] for param in _CASES if param.values[0] == check_id}

    assert "ok" in statuses
    assert statuses & {"warn", "invalid"}
    assert "unknown" in statuses or check_id in _NEVER_UNKNOWN


@pytest.mark.parametrize("check_id", _CHECKS)
def test_a_table_without_rows_is_not_in_order(check_id: str) -> None:
    """Nothing was measured: no rule may be content with that."""
    empty = Table(source="csv", name="empty", rows=())

    assert _CHECKS[check_id].run(empty, TableContext()).status is Status.UNKNOWN
    assert _CHECKS[check_id].voids(empty, TableContext()) == frozenset()

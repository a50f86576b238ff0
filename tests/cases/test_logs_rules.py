"""Every rule over logs: logs that it judges, logs in which nothing is wrong, and logs that do not tell enough."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.log_texts import scan_text
from tests.support.yaml_cases import load_yaml

from sparktune.logs.rules import all_rules
from sparktune.model.finding import Finding
from sparktune.model.log import LogView, ReadLog

_SUBJECTS: dict[str, list[dict[str, Any]]] = load_yaml(Path(__file__).parent / "logs_rules.yaml")
_RULES = {rule.id: rule for rule in all_rules()}
_CASES = [pytest.param(rule, case, id=f"{rule}: {case['name']}") for rule, cases in _SUBJECTS.items() for case in cases]


def _log(given: Any, place: int, reference_s: float | None) -> ReadLog:  # noqa: ANN401 - a list, or with a node
    lines, node = (given["lines"], given["node"]) if isinstance(given, dict) else (given, "")
    return scan_text("\n".join(lines) + "\n", f"{place}.log", node, reference_s=reference_s)


def _agrees(found: Finding, wanted: dict[str, Any]) -> bool:
    text = f"{found.evidence} {found.hint}"
    return (
        (found.severity.value, found.line) == (wanted["severity"], wanted["line"])
        and all(words in found.evidence for words in wanted.get("evidence", []))
        and all(words in found.hint for words in wanted.get("hint", []))
        and not any(words in text for words in wanted.get("not", []))
    )


@pytest.mark.parametrize(("rule", "case"), _CASES)
def test_a_rule_finds_this(rule: str, case: dict[str, Any]) -> None:
    logs = tuple(_log(given, place, case.get("reference_s")) for place, given in enumerate(case["logs"]))
    found = _RULES[rule].run(LogView(logs=logs))

    assert len(found) == len(case["expect"]), found
    for one, wanted in zip(found, case["expect"], strict=True):
        assert _agrees(one, wanted), one
        assert one.rule == rule


def test_every_rule_has_a_case_that_fires_and_one_that_does_not() -> None:
    assert set(_SUBJECTS) == set(_RULES)
    for rule, cases in _SUBJECTS.items():
        assert {bool(case["expect"]) for case in cases} == {True, False}, rule


@pytest.mark.parametrize("rule", _RULES.values(), ids=_RULES)
def test_a_rule_is_silent_without_logs_and_says_why_it_is_there(rule: Any) -> None:  # noqa: ANN401 - a LogRule
    assert rule.run(LogView(logs=())) == ()
    assert rule.run(LogView(logs=(scan_text("", "a.log"),))) == ()
    assert rule.why.endswith(".")
    assert rule.source

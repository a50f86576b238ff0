"""Every rule of lint against files.

``lint/ID.yaml`` has ``files`` by name, ``tools`` where programs were asked, and the findings to ``expect``: severity,
line, parts of evidence and hint, whether there is a ``fix``.
"""

from pathlib import Path
from typing import Any

import pytest
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.deploy.rules import all_rules
from sparktune.deploy.settings.view import view_of
from sparktune.formats.kinds import all_formats, read_text
from sparktune.model.lint import LintFinding, LintView

_CASES = yaml_cases(Path(__file__).parent / "lint")
_RULES = {rule.id: rule for rule in all_rules()}
_KEYS = frozenset({"severity", "file", "line", "evidence", "hint", "fix", "source"})
_CASE_KEYS = frozenset({"name", "why", "files", "tools", "variables", "expect"})


def _view(case: dict[str, Any]) -> LintView:
    refuse_unknown(case, _CASE_KEYS)
    documents = [read_text(name, text) for name, text in case["files"].items()]
    return view_of(documents, tools=case.get("tools"), variables=case.get("variables"))


@pytest.mark.parametrize(("rule", "case"), _CASES)
def test_rule(rule: str, case: dict[str, Any]) -> None:
    found = _RULES[rule].run(_view(case))

    assert len(found) == len(case["expect"]), found
    for actual, expected in zip(found, case["expect"], strict=True):
        _compare(actual, expected)
        assert actual.rule == rule


def _compare(actual: LintFinding, expected: dict[str, Any]) -> None:
    refuse_unknown(expected, _KEYS)
    assert actual.severity.value == expected["severity"]
    assert actual.line == expected.get("line"), actual
    assert expected.get("file", actual.file) == actual.file
    assert expected["evidence"] in actual.evidence
    assert expected.get("hint", "") in actual.hint
    assert expected.get("source", "") in actual.source
    assert expected.get("fix", False) == (actual.fix is not None)
    assert "\n" not in actual.evidence + actual.hint


@pytest.mark.parametrize("rule", _RULES)
def test_every_rule_has_cases_that_fire_and_that_do_not(rule: str) -> None:
    fired = [bool(param.values[1]["expect"]) for param in _CASES if param.values[0] == rule]

    assert set(fired) == {True, False}


@pytest.mark.parametrize("rule", _RULES)
def test_every_rule_says_why_and_from_where(rule: str) -> None:
    known = _RULES[rule]

    assert known.title
    assert known.why.endswith(".")
    assert known.source


@pytest.mark.parametrize("rule", _RULES)
def test_rules_are_silent_about_nothing(rule: str) -> None:
    assert _RULES[rule].run(LintView(documents=(), parts=())) == ()


@pytest.mark.parametrize(
    ("rule", "case"), [param for param in _CASES if any("fix" in e for e in param.values[1]["expect"])]
)
def test_a_fix_ends_its_finding_and_brings_no_other(rule: str, case: dict[str, Any]) -> None:
    """What ``--fix`` does must not make anything worse."""
    view = _view(case)
    before = {(one.rule, one.evidence) for known in all_rules() for one in known.run(view)}
    texts = dict(case["files"])
    for fix in [one.fix for one in _RULES[rule].run(view) if one.fix is not None]:
        document = read_text(fix.file, texts[fix.file])
        writer = next(one for one in all_formats() if one.id == document.format)
        texts[fix.file] = writer.write(document, fix.part, fix.kind, fix.name, fix.value)
    after = _view({**case, "files": texts})

    assert not [one for one in _RULES[rule].run(after) if one.fix is not None]
    assert {(one.rule, one.evidence) for known in all_rules() for one in known.run(after)} <= before


@pytest.mark.parametrize(("rule", "case"), _CASES)
def test_every_rule_bears_every_file(rule: str, case: dict[str, Any]) -> None:
    """A rule must not fall over a file that another one is made for."""
    view = _view(case)
    for known in all_rules():
        known.run(view)
    assert rule in _RULES

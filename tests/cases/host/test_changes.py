"""Every change of ``host``, on nodes that differ from a healthy GB10 in what the case says: its plan and its checks.

One file per change, named by its id. ``plan`` lists all steps and refusals; of each only the named fields are
compared: whole, but ``reason``, ``hint``, ``diff`` and ``why`` by what they contain ("" for an empty one). Of ``notes``
each has to be in one of the plan's; [] is for none. A step's ``kind`` is its type's name, ``step`` its fields.
``checks`` lists all checks, of the profile applied in this boot unless ``applied_boot`` says otherwise.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.change_cases import view_of
from tests.support.plain_facts import lacks, plain
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.agent.allowed import is_allowed
from sparktune.host.changes import all_changes, change_reads
from sparktune.model.host_plan import ChangePlan, HostView
from sparktune.model.profile import EarlyoomStance, Mode, Profile
from sparktune.model.reads import Read, ReadCommand, ReadFile

_CASES = yaml_cases(Path(__file__).parent / "changes")
_CHANGES = {change.id: change for change in all_changes()}
_PLAN_KEYS = frozenset({"steps", "refusals", "notes", "not_notes"})
_ONLY_LOOK = {"fast-core-residents", "sparkrun-cpuset"}
_CONTAINED = ("reason", "hint", "diff", "why")


@pytest.mark.parametrize(("change", "case"), [param for param in _CASES if "plan" in param.values[1]])
def test_plan(change: str, case: dict[str, Any]) -> None:
    plan = _CHANGES[change].plan(view_of(_CHANGES[change], case))

    expected = case["plan"]
    refuse_unknown(expected, _PLAN_KEYS)
    _compare([_step(one) for one in plan.steps], expected.get("steps", []))
    _compare([plain(one) for one in plan.refusals], expected.get("refusals", []))
    for words in expected.get("notes", ()):
        assert any(words in note for note in plan.notes), (words, plan.notes)
    for words in expected.get("not_notes", ()):
        assert not any(words in note for note in plan.notes), (words, plan.notes)
    if expected.get("notes") == []:
        assert plan.notes == ()
    assert {one.change for one in (*plan.steps, *plan.refusals)} <= {change}


@pytest.mark.parametrize(("change", "case"), [param for param in _CASES if "checks" in param.values[1]])
def test_verify(change: str, case: dict[str, Any]) -> None:
    checks = _CHANGES[change].verify(view_of(_CHANGES[change], case, applied=True))

    _compare([plain(check) for check in checks], case["checks"])
    assert {check.change for check in checks} <= {change}


def _step(planned: Any) -> dict[str, Any]:  # noqa: ANN401 - a PlannedStep
    return {**plain(planned), "kind": type(planned.step).__name__}


def _compare(actual: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    assert len(actual) == len(expected), actual
    for one, wanted in zip(actual, expected, strict=True):
        exact = {key: value for key, value in wanted.items() if key not in _CONTAINED}
        assert lacks(one, exact) == []
        for key in _CONTAINED:
            pieces = wanted.get(key, [])
            for piece in [pieces] if isinstance(pieces, str) else pieces:
                assert piece in one[key]
            assert wanted.get(key) != "" or one[key] == "", one


@pytest.mark.parametrize(("change", "case"), _CASES)
def test_changes_survive_facts_that_lack(change: str, case: dict[str, Any]) -> None:
    """A source that fails must cost its own part of the answer, never the whole plan."""
    view = view_of(_CHANGES[change], case, applied=True)
    views = [replace(view, applied_boot=None)]
    for kind in view.facts.facts:
        rest = {key: facts for key, facts in view.facts.facts.items() if key is not kind}
        views.append(replace(view, facts=replace(view.facts, facts=rest)))

    for less in views:
        plan = _asked(change, less)
        assert {one.change for one in (*plan.steps, *plan.refusals)} <= {change}


def _asked(change: str, view: HostView) -> ChangePlan:
    known = _CHANGES[change]
    known.reads(view.facts, view.profile)
    known.verify(view)
    return known.plan(view)


@pytest.mark.parametrize("change", _CHANGES)
def test_nothing_is_changed_on_a_node_of_which_nothing_is_known(change: str) -> None:
    view = view_of(_CHANGES[change], {"base": "empty"}, applied=True)

    assert _asked(change, view).steps == ()
    assert _asked(change, replace(view, facts=replace(view.facts, facts={}))).steps == ()


@pytest.mark.parametrize("change", _CHANGES)
def test_every_change_has_cases_with_steps_and_without(change: str) -> None:
    planned = [bool(param.values[1]["plan"].get("steps")) for param in _of(change) if "plan" in param.values[1]]

    assert set(planned) == ({False} if change in _ONLY_LOOK else {True, False})
    assert any("checks" in param.values[1] for param in _of(change))


def _of(change: str) -> list[Any]:
    return [param for param in _CASES if param.values[0] == change]


@pytest.mark.parametrize("change", _CHANGES)
def test_every_change_says_what_it_does_not_do_and_promises_nothing(change: str) -> None:
    known = _CHANGES[change]

    assert known.title
    assert known.does
    assert known.does_not
    assert known.source
    assert "none measured" in known.effect


@pytest.mark.parametrize("change", _CHANGES)
def test_what_a_change_reads_is_allowed_on_a_node(change: str) -> None:
    view = view_of(_CHANGES[change], {})
    asked = _CHANGES[change].reads(view.facts, Profile())

    assert all(is_allowed(read.argv) for read in asked if isinstance(read, ReadCommand))


def test_no_two_changes_read_the_same_thing_in_two_ways() -> None:
    """There is one answer for each path, pattern or command: the second way would get that of the first."""
    runs = "\n".join(f"Id={name}.service\nLoadState=loaded\nActiveState=active\n" for name in ("irqbalance", "tuned"))
    case = {"commands": {"UnitFileState,ExecStart": runs}, "files": {"/etc/tuned/active_profile": "balanced\n"}}
    facts = view_of(_CHANGES["irqbalance"], case).facts
    classic = Profile(mode=Mode.CLASSIC, earlyoom=EarlyoomStance.STOP, compose_files=("/srv/a.yaml",))
    for profile in (Profile(), classic):
        asked = change_reads(facts, profile)
        keys = Counter(_key(read) for read in asked)

        assert len(asked) > len(_CHANGES)
        assert [key for key, times in keys.items() if times > 1] == []


def _key(read: Read) -> tuple[str, object]:
    if isinstance(read, ReadCommand):
        return "command", read.argv
    return type(read).__name__, read.path if isinstance(read, ReadFile) else read.pattern

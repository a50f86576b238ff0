"""Every case in launchers/*.yaml: the settings of arms become actions and readers, or an error that says what is wrong.

``actions``, ``readers``, ``leave``, ``kill``, ``begin`` and ``original`` are lists of ``{Type: {field: value}}``;
fields that are not named are not compared. ``seen`` is what the nodes say, by node: ``files`` (a path, a text),
``links`` (a path, what it leads to) and ``commands`` (a command line, what it prints: a text, values
that it prints as JSON, or ``{code, stdout, stderr}``).
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.support.yaml_cases import yaml_cases

from sparktune.deploy.launchers import all_launchers
from sparktune.model.launcher import ArmPlan, ArmSpec, Launcher, Seen
from sparktune.model.observed import Observed, present, unreadable
from sparktune.model.reads import CommandOutput, ReadCommand, ReadFile, Readings, ReadLinks

_FOLDER = Path(__file__).parent / "launchers"
_LAUNCHERS = {one.id: one for one in all_launchers()}


@pytest.mark.parametrize(("launcher", "case"), yaml_cases(_FOLDER))
def test_launcher(launcher: str, case: dict[str, Any]) -> None:
    one = _LAUNCHERS[launcher]
    spec = ArmSpec(arms=case["arms"], live=case.get("live", {}), where=tuple(case.get("where", ())))
    if "error" in case:
        with pytest.raises(ValueError) as failed:  # noqa: PT011 - its text is what the case is about
            _planned(one, spec, case)
        assert case["error"] in str(failed.value), case["why"]
        return
    seen, made = _planned(one, spec, case)
    for name in ("actions", "readers", "leave", "kill"):
        if name in case:
            _assert_like(getattr(made, name), case[name], f"{name}: {case['why']}")
    for name in ("begin", "original"):
        if name in case:
            _assert_like(getattr(one, name)(spec, seen), case[name], f"{name}: {case['why']}")
    if "takes" in case:
        assert made.takes == case["takes"]
    assert made.readers, "without a reader nothing may be measured"


def test_each_launcher_has_cases() -> None:
    """A launcher that nobody wrote a case for is one that nobody knows to work."""
    assert {path.stem for path in _FOLDER.glob("*.yaml")} == set(_LAUNCHERS)


def _planned(launcher: Launcher, spec: ArmSpec, case: Mapping[str, Any]) -> tuple[Seen, ArmPlan]:
    """Read what the launcher asks for, round after round, as the program does; then plan."""
    launcher.check(spec)
    seen: dict[str, Readings] = {}
    for _round in range(6):
        asked = launcher.reads(spec, seen)
        seen = {node: _answers(case.get("seen", {}).get(node, {}), reads) for node, reads in asked.items()}
    return seen, launcher.plan(spec, seen, case["arm"])


def _answers(node: Mapping[str, Any], reads: Sequence[object]) -> Readings:
    """Answer only what was asked for: what a launcher forgot to ask it does not get."""
    files, links, commands = node.get("files", {}), node.get("links", {}), node.get("commands", {})
    said = {tuple(shlex.split(line)): _said(output) for line, output in commands.items()}
    return Readings(
        files={
            read.path: unreadable("permission denied") if files[read.path] is None else present(files[read.path])
            for read in reads
            if isinstance(read, ReadFile) and read.path in files
        },
        links={
            read.pattern: {read.pattern: links[read.pattern]}
            for read in reads
            if isinstance(read, ReadLinks) and read.pattern in links
        },
        commands={read.argv: said[read.argv] for read in reads if isinstance(read, ReadCommand) and read.argv in said},
    )


def _said(output: Any) -> Observed[CommandOutput]:  # noqa: ANN401 - what the case's author wrote
    if isinstance(output, Mapping) and "code" in output:
        return present(
            CommandOutput(stdout=output.get("stdout", ""), stderr=output.get("stderr", ""), code=output["code"])
        )
    return present(CommandOutput(stdout=output if isinstance(output, str) else json.dumps(output), stderr="", code=0))


def _assert_like(found: object, wanted: object, where: str) -> None:
    if isinstance(wanted, Mapping) and len(wanted) == 1 and is_dataclass(found):
        ((kind, fields),) = wanted.items()
        assert type(found).__name__ == kind, where
        for name, value in fields.items():
            _assert_like(getattr(found, name), value, f"{where}: {name}")
    elif isinstance(wanted, list) and isinstance(found, Sequence):
        assert len(found) == len(wanted), f"{where}: {found}"
        for place, (one, other) in enumerate(zip(found, wanted, strict=True)):
            _assert_like(one, other, f"{where}[{place}]")
    else:
        assert found == wanted, where


@pytest.mark.parametrize(
    ("launcher", "case"), [one for one in yaml_cases(_FOLDER) if "error" not in one.values[1] and one.values[1]["arms"]]
)
def test_a_way_that_arm_a_does_not_go_can_be_ended_and_brought_back(launcher: str, case: dict[str, Any]) -> None:
    """Of two ways to run the same, each launcher sees its own arm alone: what it accepts, it must bring back."""
    spec = ArmSpec(
        arms={"B": case["arms"][case["arm"]]},
        live={key: value for key, value in case.get("live", {}).items() if key != "A"},
        where=tuple(case.get("where", ())),
    )
    one = _LAUNCHERS[launcher]
    try:
        seen, made = _planned(one, spec, {**case, "arm": "B"})
    except ValueError:
        return  # refused before anything is touched
    assert made.readers
    one.begin(spec, seen)
    one.original(spec, seen)

"""Steps that need no restart, on a captured tree: applied, read back, undone to the byte, and refused when not so."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.support.arms import arm_plan, hold_settings
from tests.support.host_trees import tree_hash, write_node

from sparktune.errors import ArmFailed, UsageError
from sparktune.host.facts.containers import SOURCE, ContainerFacts
from sparktune.io.cluster import NodeTarget
from sparktune.io.launching.hold import Hold
from sparktune.io.transport.session import NodeSession

_SWAPPINESS = "/proc/sys/vm/swappiness"
_VALUE = {"kind": "value", "path": _SWAPPINESS, "text": "7"}


@pytest.fixture
def node(tmp_path: Path) -> NodeTarget:
    """A healthy GB10 as a tree."""
    return write_node(tmp_path / "node")


def _hold(tmp_path: Path, node: NodeTarget, record: Mapping[str, Any] | None = None) -> Hold:
    settings = hold_settings(tmp_path, 1, nodes={"": node, "n1": node})
    return Hold(settings, remember=lambda _record: None, record=record)


def _arms(*steps: Mapping[str, Any]) -> dict[str, Any]:
    return {"A": {}, "B": {"steps": list(steps)}}


def _root(node: NodeTarget) -> Path:
    assert node.root is not None
    return node.root


def _text(node: NodeTarget, path: str = _SWAPPINESS) -> str:
    return (_root(node) / path.lstrip("/")).read_text().strip()


async def test_visits_in_both_orders_leave_the_node_as_it_was(tmp_path: Path, node: NodeTarget) -> None:
    """ABBA: each visit sets its arm anew, and each is read on the node."""
    before, hold = tree_hash(_root(node)), _hold(tmp_path, node)
    first = _text(node)
    seen = []
    for arm in "ABBA":
        plan = arm_plan("hot", _arms(_VALUE), arm)
        await hold.set_arm(arm, plan)
        reading = await hold.read_live(plan)
        assert reading.ok, reading.why
        assert reading.values == reading.wanted
        seen.append(reading.values[_SWAPPINESS])
    await hold.release()

    assert seen == [first, "7", "7", first]
    assert tree_hash(_root(node)) == before
    assert json.loads(json.dumps(hold.state())) == hold.state()


async def test_every_kind_is_applied_and_read_back(tmp_path: Path, node: NodeTarget) -> None:
    """A reader that sees nothing of a kind would refuse every visit; one that sees too little would refuse none."""
    before = tree_hash(_root(node))
    device = next(path.parent.name for path in sorted(_root(node).glob("sys/bus/pci/devices/*/msi_irqs")))
    task = next(iter(sorted(_root(node).glob("proc/[0-9]*/task/*/stat"))))
    start = int(task.read_text().rpartition(")")[2].split()[19])
    container = await _container(node)
    steps = [
        _VALUE,
        {"kind": "irq", "devices": [device], "cpus": [1, 2]},
        {"kind": "property", "unit": "system.slice", "name": "AllowedCPUs", "value": "0-3"},
        {"kind": "affinity", "tasks": [_task(task, start)], "cpus": [3]},
        {"kind": "container", "container": container, "cpus": "5-6", "all_cpus": "0-19"},
    ]
    hold = _hold(tmp_path, node)
    other = arm_plan("hot", _arms(*steps), "A")
    await hold.set_arm("A", other)
    was = await hold.read_live(other)
    plan = arm_plan("hot", _arms(*steps), "B")

    await hold.set_arm("B", plan)
    reading = await hold.read_live(plan)
    crossed = await hold.read_live(other)
    await hold.release()
    again = await hold.read_live(other)

    assert was.ok, was.why
    assert reading.ok, reading.why
    assert not crossed.ok
    assert {name.split()[0] for name in reading.values} >= {_SWAPPINESS, f"{device}#0", "system.slice", container}
    assert all(f"{name} is " in crossed.why for name in reading.values), crossed.why
    assert again.ok, again.why
    assert again.values == was.values
    assert tree_hash(_root(node)) == before


async def test_a_step_that_changes_nothing_is_no_other_arm(tmp_path: Path, node: NodeTarget) -> None:
    """Both arms would be the same, and any difference noise."""
    step = {**_VALUE, "text": _text(node)}
    hold, plan = _hold(tmp_path, node), arm_plan("hot", _arms(step), "A")
    await hold.set_arm("A", plan)

    reading = await hold.read_live(plan)

    assert not reading.ok
    assert "all is as the other arm wants it, without its steps" in reading.why


async def test_what_somebody_else_changes_meanwhile_is_seen_left_and_said(tmp_path: Path, node: NodeTarget) -> None:
    hold, plan = _hold(tmp_path, node), arm_plan("hot", _arms(_VALUE))
    first = _text(node)
    await hold.set_arm("B", plan)
    (_root(node) / _SWAPPINESS.lstrip("/")).write_text("33\n")

    reading = await hold.read_live(plan)
    await hold.release()

    assert reading.why == f"{_SWAPPINESS} is 33, not 7"
    assert _text(node) == "33"
    assert any("was changed by somebody else meanwhile" in note for note in hold.notes), hold.notes
    other = arm_plan("hot", _arms(_VALUE), "A")
    await hold.set_arm("A", other)
    assert (await hold.read_live(other)).why == f"{_SWAPPINESS} is 33, not {first}"


async def test_a_step_that_fails_takes_all_of_it_back(tmp_path: Path, node: NodeTarget) -> None:
    before, hold = tree_hash(_root(node)), _hold(tmp_path, node)
    missing = {"kind": "value", "path": "/proc/sys/vm/no_such_value", "text": "1"}

    with pytest.raises(ArmFailed, match="no_such_value does not exist here; all was taken back"):
        await hold.set_arm("B", arm_plan("hot", _arms(_VALUE, missing)))

    assert tree_hash(_root(node)) == before
    assert [one["state"] for one in hold.state()["nodes"]] == ["nothing"]


async def test_a_thread_that_has_ended_is_not_live(tmp_path: Path, node: NodeTarget) -> None:
    """Its number may be another thread's by now; that one is not touched."""
    before, hold = tree_hash(_root(node)), _hold(tmp_path, node)
    task = next(iter(sorted(_root(node).glob("proc/[0-9]*/task/*/stat"))))
    plan = arm_plan("hot", _arms({"kind": "affinity", "tasks": [_task(task, 1)], "cpus": [3]}))

    await hold.set_arm("B", plan)
    reading = await hold.read_live(plan)
    await hold.release()

    assert not reading.ok
    assert "/1 is not there" in reading.why
    assert tree_hash(_root(node)) == before


async def test_the_journal_does_not_take_it_for_a_profile(tmp_path: Path, node: NodeTarget) -> None:
    """``host status`` would say that a profile is applied there which nobody asked for."""
    hold, plan = _hold(tmp_path, node), arm_plan("hot", _arms(_VALUE))
    await hold.set_arm("B", plan)
    async with NodeSession(node) as session:
        journal = await session.journal()
    await hold.release()

    assert [(one.label, dict(one.profile), one.state) for one in journal.transactions] == [("ab", {}, "committed")]


async def test_a_record_goes_on_with_what_was_there_first(tmp_path: Path, node: NodeTarget) -> None:
    """A resumed experiment must not take what a crash left for the machine as it was."""
    first = _text(node)
    hold = _hold(tmp_path, node)
    await hold.set_arm("B", arm_plan("hot", _arms(_VALUE)))
    resumed = _hold(tmp_path, node, hold.state())
    other = arm_plan("hot", _arms(_VALUE), "A")

    reading = await resumed.read_live(other)
    await resumed.set_arm("A", other)
    undone = await resumed.read_live(other)

    assert reading.why.endswith(f"{_SWAPPINESS} is 7, not {first}")
    assert undone.ok, undone.why


async def test_a_node_that_is_not_known(tmp_path: Path, node: NodeTarget) -> None:
    hold = _hold(tmp_path, node)
    plan = arm_plan("hot", _arms({**_VALUE, "node": "spark9"}))

    with pytest.raises(UsageError, match="changes node 'spark9', and it is not known here"):
        await hold.set_arm("B", plan)
    reading = await hold.read_live(plan)

    assert not reading.ok
    assert "node spark9 cannot be read" in reading.why


def _task(stat: Path, start: int) -> dict[str, int]:
    return {"pid": int(stat.parts[-4]), "tid": int(stat.parts[-2]), "start_time": start}


async def _container(node: NodeTarget) -> str:
    async with NodeSession(node) as session:
        facts = SOURCE.parse(await session.observe(SOURCE.reads))
    assert isinstance(facts, ContainerFacts)
    return facts.containers[0].id

"""Every kind of step on a tree, killed before each single change to a file: undoing still leads to the start.

The crash matrix of the whole agent kills real processes; here each kind alone is looked at, at every place.
"""

import os
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.support.killed import killed_after
from tests.support.steps import kind_named, sample_steps, sample_tree, tree_state

from sparktune.agent.kind import Reading
from sparktune.agent.machine import Machine
from sparktune.agent.machines import machine_of
from sparktune.agent.tree import Tree

_AGAIN = ("reload", "service-restart")
_NAMES = sorted(sample_steps().keys() - set(_AGAIN))


@pytest.fixture(autouse=True)
def _no_power_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for no disk: only a power cut would tell, and nothing here cuts it."""
    monkeypatch.setattr(os, "fsync", lambda _handle: None)


def _undo(machine: Machine, step: dict[str, Any], before: Reading) -> None:
    """Do what the engine does: what is as before is left, what is as wanted put back, nothing else may be there."""
    kind = kind_named(step["kind"])
    now = kind.look(machine, step)
    for item in reversed(before):
        if not kind.same(step, before[item], now[item]):
            assert kind.reached(step, item, now[item]), f"{item} would be taken for somebody else's: {now[item]}"
            kind.put_back(machine, step, item, before[item])
        kind.tidy(machine, step, item, before[item])


@pytest.mark.parametrize("name", _NAMES)
def test_killed_while_doing(tmp_path: Path, name: str) -> None:
    step, tree = sample_steps()[name], Tree(str(sample_tree(tmp_path)))
    kind, start = kind_named(step["kind"]), tree_state(tmp_path)
    for places in count():
        before = kind.look(machine_of(tree), step)
        with killed_after(places) as changes:
            kind.do(machine_of(tree), step, before)
        _undo(machine_of(tree), step, before)
        assert tree_state(tmp_path) == start, f"killed after {places} changes"
        if not changes.killed:
            break
    assert places


@pytest.mark.parametrize("name", _NAMES)
def test_killed_while_undoing(tmp_path: Path, name: str) -> None:
    step, tree = sample_steps()[name], Tree(str(sample_tree(tmp_path)))
    kind, start = kind_named(step["kind"]), tree_state(tmp_path)
    for places in count():
        before = kind.look(machine_of(tree), step)
        kind.do(machine_of(tree), step, before)
        with killed_after(places) as changes:
            _undo(machine_of(tree), step, before)
        _undo(machine_of(tree), step, before)
        assert tree_state(tmp_path) == start, f"killed after {places} changes"
        if not changes.killed:
            break
    assert places

"""Every kind of step on a tree: doing is seen, doing again is nothing, and putting back is the start, exactly."""

from pathlib import Path

import pytest
from tests.support.steps import kind_named, sample_steps, sample_tree, tree_state

from sparktune.agent.machines import machine_of
from sparktune.agent.tree import Tree

# These have no state of their own: undoing them is doing them once more.
_AGAIN = ("reload", "service-restart")
_NAMES = sorted(sample_steps().keys() - set(_AGAIN))


@pytest.mark.parametrize("name", _NAMES)
def test_put_back_is_the_identity(tmp_path: Path, name: str) -> None:
    """The promise of a revert: not values that are usual, but what was there, to the byte and the second."""
    machine, step = machine_of(Tree(str(sample_tree(tmp_path)))), sample_steps()[name]
    kind = kind_named(step["kind"])
    start, before = tree_state(tmp_path), kind.look(machine, step)
    done = kind.do(machine, step, before)
    assert "changed" in {outcome["outcome"] for outcome in done.values()}
    after = kind.look(machine, step)
    assert tree_state(tmp_path) != start
    for item in reversed(before):
        if done[item]["outcome"] == "changed":
            assert kind.reached(step, item, after[item])
            assert not kind.same(step, before[item], after[item])
            kind.put_back(machine, step, item, before[item])
        kind.tidy(machine, step, item, before[item])
    now = kind.look(machine, step)
    assert all(kind.same(step, before[item], now[item]) for item in before)
    assert tree_state(tmp_path) == start


@pytest.mark.parametrize("name", _NAMES)
def test_doing_twice_is_already(tmp_path: Path, name: str) -> None:
    """What is as wanted is not written: a second apply must not make our own value the prior."""
    machine, step = machine_of(Tree(str(sample_tree(tmp_path)))), sample_steps()[name]
    kind = kind_named(step["kind"])
    kind.do(machine, step, kind.look(machine, step))
    after = tree_state(tmp_path)
    again = kind.do(machine, step, kind.look(machine, step))
    assert not [item for item, outcome in again.items() if outcome["outcome"] == "changed"]
    assert tree_state(tmp_path) == after

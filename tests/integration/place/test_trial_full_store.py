"""A trial whose store is full from some moment on: the thread has its CPUs again, and the reason is told.

What is held is written down before it is had; a disk that takes nothing more must not keep a thread where it is.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.host_trees import tree_hash, write_node
from tests.support.idle_trials import plan_of
from tests.support.killed_steps_hold import step_of

from sparktune.errors import StoreError
from sparktune.flows.place.idle_watch import IdleSeen
from sparktune.flows.place.trial import TrialTools, run_trial
from sparktune.io.cluster import NodeTarget
from sparktune.io.launching.steps_hold import StepsHold

# Writes of a trial of one block: records of the move that is tried, the visits and their moves; the last is the end.
_MOMENTS = (1, 2, 3, 4, 6, 8, 10, 11)


class _Full:
    """A store that takes so many writes and no more."""

    def __init__(self, writes: int) -> None:
        self.left, self.refused = writes, 0

    def write(self, *_what: object) -> None:
        if not self.left:
            self.refused += 1
            message = "the store cannot be written: database or disk is full"
            raise StoreError(message, hint="make room")
        self.left -= 1

    remember_held = set_visits = end = write


class _Quick:
    """A watch that measures nothing."""

    async def measure(self, settle_s: float, window_s: float) -> IdleSeen:
        del settle_s, window_s
        return IdleSeen()


def _tools(node: NodeTarget, store: _Full) -> TrialTools:
    def remember(record: Mapping[str, Any]) -> None:
        store.write(record)

    assert node.root is not None
    hold = StepsHold(node, [step_of(node.root)], "somebody", remember)
    return TrialTools(store=store, hold=hold, watch=_Quick(), say=lambda _text: None)  # type: ignore[arg-type]


async def _ended(node: NodeTarget, writes: int) -> _Full:
    store = _Full(writes)
    await run_trial(_tools(node, store), replace(plan_of(1, seed=1), settle_s=0.0, window_s=0.0))
    return store


@pytest.mark.parametrize("writes", [moment - 1 for moment in _MOMENTS])
async def test_the_thread_is_as_it_was_whenever_the_store_is_full(writes: int, tmp_path: Path) -> None:
    node = write_node(tmp_path / "node")
    assert node.root is not None
    before = tree_hash(node.root)

    with pytest.raises(StoreError, match="disk is full"):
        await _ended(node, writes)

    assert tree_hash(node.root) == before


async def test_with_room_for_all_it_ends_as_usual(tmp_path: Path) -> None:
    node = write_node(tmp_path / "node")
    assert node.root is not None
    before = tree_hash(node.root)

    store = await _ended(node, 1000)

    assert 1000 - store.left == max(_MOMENTS), "the last of those moments is the last write"
    assert tree_hash(node.root) == before

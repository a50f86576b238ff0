"""What memory a sweep may count on: one pool for CPU and GPU is known of a GB10, and of nothing else."""

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.stored import make_run

from sparktune.flows.sweep.ground import _smallest, pool_before, shared_memory
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.memory import MemoryFacts
from sparktune.model.node import NodeFacts
from sparktune.model.observed import absent, present
from sparktune.model.run import Run, RunState

_GIB = 2**30


def _node(platform: str, gib: float | None) -> NodeFacts:
    cpu, memory = object.__new__(CpuFacts), object.__new__(MemoryFacts)
    object.__setattr__(cpu, "platform", present(platform) if platform else absent())
    object.__setattr__(memory, "total", present(round(gib * _GIB)) if gib is not None else absent())
    return NodeFacts(node="n", facts={CpuFacts: cpu, MemoryFacts: memory})


def test_the_smallest_of_several() -> None:
    assert _smallest([_node("GB10", 121.7), _node("GB10", 119.0)]) == round(119.0 * _GIB)


@pytest.mark.parametrize("other", [_node("", 64.0), _node("GB10", None), NodeFacts(node="n", failure="no way there")])
def test_one_node_that_does_not_tell_leaves_all_open(other: NodeFacts) -> None:
    """A share of memory of a machine with a GPU of its own is another thing; nothing is left out for it."""
    assert _smallest([_node("GB10", 121.7), other]) is None


def test_nobody_is_asked_without_nodes() -> None:
    assert shared_memory(()).size is None


@dataclass
class _Store:
    pool: int | None

    def list_runs(self, _limit: int, _unreadable: object) -> tuple[Any, ...]:
        states = {"killed": RunState.RUNNING, "newest": RunState.DONE, "older": RunState.DONE}
        return tuple(SimpleNamespace(id=name, base_url="http://here", state=state) for name, state in states.items())

    def load_run(self, run_id: str) -> Run:
        assert run_id == "newest"
        run = make_run()
        return replace(run, engine=replace(run.engine, kv_pool_tokens=self.pool))


def test_the_pool_of_the_newest_finished_run_on_this_server() -> None:
    assert pool_before(_Store(pool=4096), "http://here") == {"kv_pool_tokens": 4096.0}  # type: ignore[arg-type]
    assert pool_before(_Store(pool=None), "http://here") == {}  # type: ignore[arg-type]
    assert pool_before(_Store(pool=4096), "http://elsewhere") == {}  # type: ignore[arg-type]

"""What is known before the first start of a sweep: the memory of its nodes, and the KV pool of a run before."""

__all__ = ["SharedMemory", "pool_before", "shared_memory"]

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.errors import StoreError
from sparktune.flows.doctor import facts_of
from sparktune.host.facts.cpu import SOURCE as CPU
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.memory import SOURCE as MEMORY
from sparktune.host.facts.memory import MemoryFacts
from sparktune.io.cluster import NodeTarget
from sparktune.io.store.faults import leave_out
from sparktune.io.store.store import Store
from sparktune.io.transport.fanout import observe_all
from sparktune.model.node import NodeFacts
from sparktune.model.run import RunState
from sparktune.units import Bytes

_NEWEST = 50  # runs that are looked through for one on this server
_SHARED = "GB10"


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedMemory:
    """``size`` is that of the smallest node, None unless all are known to have one memory for CPU and GPU.

    ``silent`` has why nodes did not answer, one by one.
    """

    size: Bytes | None = None
    silent: tuple[str, ...] = ()


def shared_memory(targets: Sequence[NodeTarget]) -> SharedMemory:
    """Return what is known of the memory that the configurations have to fit into."""
    if not targets:
        return SharedMemory()
    nodes = [facts_of(answer) for answer in asyncio.run(observe_all(tuple(targets), (*CPU.reads, *MEMORY.reads)))]
    return SharedMemory(size=_smallest(nodes), silent=tuple(node.failure for node in nodes if node.failure))


def pool_before(store: Store, base_url: str) -> dict[str, float]:
    """Return the KV pool of the newest finished run on a server as a fact by its key, nothing where none was told."""
    rows = store.list_runs(_NEWEST, leave_out)
    row = next((row for row in rows if row.base_url == base_url and row.state is RunState.DONE), None)
    try:
        pool = store.load_run(row.id).engine.kv_pool_tokens if row is not None else None
    except StoreError:  # it cannot be understood, so that it tells nothing
        return {}
    return {} if pool is None else {"kv_pool_tokens": float(pool)}


def _smallest(nodes: Sequence[NodeFacts]) -> Bytes | None:
    sizes = []
    for node in nodes:
        cpu, memory = node.get(CpuFacts), node.get(MemoryFacts)
        if cpu is None or memory is None or cpu.platform.value != _SHARED or memory.total.value is None:
            return None
        sizes.append(memory.total.value)
    return min(sizes, default=None)

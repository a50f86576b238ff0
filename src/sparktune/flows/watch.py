"""``watch``: sample every node and hand on what is new; a node that fails ends alone."""

__all__ = ["watch"]

import asyncio
from collections.abc import Callable, Sequence

from sparktune.errors import NodeError
from sparktune.host.facts.cpu import SOURCE as CPU
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.live import WATCH_READS, frame_of
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.session import NodeSession
from sparktune.model.sample import Sample
from sparktune.report.watch import WatchedNode
from sparktune.units import Seconds


async def watch(
    targets: Sequence[NodeTarget], show: Callable[[WatchedNode], None], *, interval_s: Seconds, count: int = 0
) -> bool:
    """Call ``show`` with every new frame of every node, ``count`` of each or until cancelled.

    Returns whether all nodes answered to the end; ``show`` is told of those that did not. Raises UsageError for a host
    name that is an option.
    """
    sessions = [NodeSession(target) for target in targets]
    return all(await asyncio.gather(*(_watch_node(one, show, interval_s, count) for one in sessions)))


async def _watch_node(
    session: NodeSession, show: Callable[[WatchedNode], None], interval_s: Seconds, count: int
) -> bool:
    name = session.target.name
    try:
        async with session as node:
            _, readings = await node.greet_and_observe(CPU.reads)
            cpu: CpuFacts = CPU.parse(readings)
            split = cpu.split.value
            show(WatchedNode(name=name, split=split))
            before: Sample | None = None
            # A frame needs two samples.
            async for sample in node.sample(WATCH_READS, interval_s=interval_s, count=count + 1 if count else 0):
                if before is not None:
                    show(WatchedNode(name=name, split=split, frame=frame_of(before, sample)))
                before = sample
    except NodeError as error:
        show(WatchedNode(name=name, failure=str(error)))
        return False
    return True

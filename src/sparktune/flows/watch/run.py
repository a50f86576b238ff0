"""``watch``: sample every node and hand on what is new; a node that fails ends alone, or is tried again."""

__all__ = ["watch"]

import asyncio
from collections.abc import Callable, Sequence

from sparktune.errors import NodeError
from sparktune.host.facts.cpu import SOURCE as CPU
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.live import WATCH_READS, frame_of
from sparktune.io.cluster import NodeTarget
from sparktune.io.together import together
from sparktune.io.transport.session import NodeSession
from sparktune.model.sample import Sample
from sparktune.report.watch import WatchedNode
from sparktune.units import Seconds


async def watch(
    targets: Sequence[NodeTarget],
    show: Callable[[WatchedNode], None],
    *,
    interval_s: Seconds,
    count: int = 0,
    again_s: Seconds | None = None,
) -> bool:
    """Call ``show`` with every new frame of every node, ``count`` of each or until cancelled.

    A node that does not answer is tried again after ``again_s`` seconds; with None, or with a ``count``, never.
    Returns whether all nodes answered to the end; ``show`` is told of those that did not. Raises UsageError for a host
    name that is an option.
    """
    for target in targets:
        NodeSession(target)  # refuses such a name before anything is shown
    kept = None if count else again_s
    return all(await together(*(_watch_again(one, show, interval_s, count, kept) for one in targets)))


async def _watch_again(
    target: NodeTarget, show: Callable[[WatchedNode], None], interval_s: Seconds, count: int, again_s: Seconds | None
) -> bool:
    while True:
        answered = await _watch_node(target, show, interval_s, count)
        if answered or again_s is None:
            return answered
        await asyncio.sleep(again_s)


async def _watch_node(target: NodeTarget, show: Callable[[WatchedNode], None], interval_s: Seconds, count: int) -> bool:
    name = target.name
    try:
        async with NodeSession(target) as node:
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

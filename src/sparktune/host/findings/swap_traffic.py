"""Memory that was swapped out and in again since boot."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.memory import MemoryFacts
from sparktune.host.findings._shared import Found, node_rule
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts
from sparktune.units import format_bytes, format_count

# The burst at which one operator's guard stops an experiment; below it pages of idle daemons come and go.
_MANY_PAGES = 4096


def _judge(node: NodeFacts) -> Iterator[Found]:
    memory = node.get(MemoryFacts)
    if memory is None or memory.swapped_in_pages.value is None or memory.swapped_out_pages.value is None:
        return
    came, went = memory.swapped_in_pages.value, memory.swapped_out_pages.value
    if went < _MANY_PAGES:
        return
    used = ""
    if memory.swap_total.value is not None and memory.swap_free.value is not None:
        used = f"; {format_bytes(memory.swap_total.value - memory.swap_free.value)} are in swap now"
    yield Found(
        severity=Severity.WARNING if came >= _MANY_PAGES else Severity.INFO,
        evidence=f"{format_count(went)} pages went to swap and {format_count(came)} came back since boot{used}",
        hint="lower what the engine reserves until nothing is swapped; a run during which it happened is void",
    )


FINDING = node_rule(
    "swap-traffic",
    title="Memory was swapped out",
    why="Memory of the GPU cannot be swapped, so everything else is: an engine that waits for swap shows times to the "
    "first token that have nothing to do with its settings.",
    source="https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash docs/07, docs/08",
    judge=_judge,
)

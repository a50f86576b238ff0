"""Clocks: limits and governors that nodes should have in common, and a GPU that is stuck in its low-power state.

What is compared is set, not what happens to run now: current clocks follow the load. A stuck GPU is told by the rule of
``doctor`` (``gpu-low-power``), under load alone. Source: Linux Documentation/admin-guide/pm/cpufreq.rst.
"""

__all__ = ["ASPECT"]

from collections.abc import Iterator
from typing import Final

from sparktune.drift.aspects._shared import differing, judged
from sparktune.drift.rows import absent_cell, cell
from sparktune.host.facts.gpu import GpuFacts
from sparktune.host.findings.gpu_low_power import FINDING as LOW_POWER
from sparktune.host.parity import clock_words, governor_words
from sparktune.model.drift import DriftAspect, DriftRow, DriftView
from sparktune.model.node import ClusterFacts, NodeFacts

_ID: Final = "clocks"
_COMPARED: Final = (("highest clocks", clock_words), ("frequency governor", governor_words))
_HINT: Final = "find out what changed it on one node (nvidia-smi -lgc, power-profiles-daemon, tuned), and set all alike"


def _rows(view: DriftView) -> tuple[DriftRow, ...]:
    answered = tuple(node for node in view.nodes if not node.failure)
    return (*_parity(answered), *_stuck(answered))


def _parity(nodes: tuple[NodeFacts, ...]) -> Iterator[DriftRow]:
    for what, read in _COMPARED:
        values = {node.node: value for node in nodes if (value := read(node))}
        apart = differing(values)
        for node, value in values.items() if apart else ():
            yield judged(what, node, _ID, live=cell(value), differ=True, why=f"{what}: {apart}", hint=_HINT)


def _stuck(nodes: tuple[NodeFacts, ...]) -> Iterator[DriftRow]:
    # The findings of a rule name their node; facts of its clocks are beside them.
    by_name = {node.node: node for node in nodes}
    for found in LOW_POWER.run(ClusterFacts(nodes=nodes)):
        gpus = by_name[found.node or ""].get(GpuFacts)
        clocks = [gpu.sm_clock_hz.value for gpu in (gpus.gpus.value or () if gpus is not None else ())]
        shown = ", ".join(f"{hertz / 1e6:.0f} MHz" for hertz in clocks if hertz is not None)
        yield judged(
            "GPU clock",
            found.node or "",
            _ID,
            file=absent_cell("the GB10's own clock"),
            live=cell(shown),
            why=found.evidence,
            hint=found.hint,
            survives=True,
        )


ASPECT = DriftAspect(
    id=_ID,
    title="clock limits and governors, and a GPU stuck in low power",
    why="A limit that one node kept from last week makes all nodes slower, and whatever is measured then describes it.",
    source="https://github.com/hasso5703/dgx-spark-qwen38/issues/8; Linux Documentation/admin-guide/pm/cpufreq.rst",
    rows=_rows,
)

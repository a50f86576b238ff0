"""Kernel, driver and firmware of the nodes of one cluster, which should be the same on all of them.

Compared is what ``doctor`` compares (``host.parity``); what boots apart (the boot's id) is not. A node that did not
answer is named. One node has nobody to differ from.
"""

__all__ = ["ASPECT"]

from collections.abc import Iterator
from typing import Final

from sparktune.drift.aspects._shared import differing, judged
from sparktune.drift.rows import cell, closed_cell
from sparktune.host.parity import ALIKE
from sparktune.model.drift import DriftAspect, DriftRow, DriftView
from sparktune.model.node import NodeFacts

_ID: Final = "kernel"
_KERNEL: Final = "kernel"
# Other aspects have these.
_ELSEWHERE: Final = frozenset({"engine image", "highest clocks"})
_SHOWN_ALIKE: Final = frozenset({_KERNEL, "GPU driver"})
_HINT: Final = (
    "an upgrade of packages on one node does this: see /var/log/apt/history.log there, bring all nodes to one version "
    "and hold it (apt-mark hold)"
)


def _rows(view: DriftView) -> tuple[DriftRow, ...]:
    if len(view.nodes) < 2:  # noqa: PLR2004 - a pair
        return ()
    return (*_unanswered(view.nodes), *_compared(tuple(node for node in view.nodes if not node.failure)))


def _unanswered(nodes: tuple[NodeFacts, ...]) -> Iterator[DriftRow]:
    for node in nodes:
        if node.failure:
            yield judged(_KERNEL, node.node, _ID, live=closed_cell(node.failure), hint=node.hint)


def _compared(nodes: tuple[NodeFacts, ...]) -> Iterator[DriftRow]:
    for what, read in ALIKE:
        values = {node.node: value for node in nodes if (value := read(node))}
        apart = differing(values)
        if what in _ELSEWHERE or not (apart or what in _SHOWN_ALIKE):
            continue
        for node, value in values.items():
            yield judged(
                what,
                node,
                _ID,
                live=cell(value),
                differ=bool(apart),
                why=f"{what}: {apart}" if apart else "",
                hint=_HINT if apart else "",
            )


ASPECT = DriftAspect(
    id=_ID,
    title="kernel, driver and firmware, the same on all nodes",
    why="An upgrade on one node alone has cost the registration of memory for RDMA (kernel), half of the fabric's "
    "bandwidth (firmware) and hours of search in engine logs.",
    source="https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/issues/259; "
    "https://github.com/eugr/spark-vllm-docker/issues/392",
    rows=_rows,
)

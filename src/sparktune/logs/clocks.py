"""By how much each node's clock is ahead of the first one's: told, or from what all ranks log at the same moment.

The ranks of one engine wait for each other when their group is made, when the pool of the cache is sized and when
graphs are captured, so that each logs these within moments of the others. One such pair proves little, since a rank may
be late; several that agree do. Sources: NCCL 2.30 (init.cc: ``Init COMPLETE`` behind a barrier of all ranks), vLLM 0.33
(kv_cache_utils.py: sizes are agreed upon among workers, gpu_model_runner.py: captures have collectives in them).
"""

__all__ = ["clocks_ahead"]

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Final

from sparktune.model.log import ReadLog
from sparktune.units import Seconds

_AT_BARRIERS: Final = ("nccl", "kv_", "graph_", "transport")
_AGREE_S: Final[Seconds] = 5.0
_FEWEST: Final = 2
_SAME_S: Final[Seconds] = 1.0  # facts of one moment are one witness, not several


def clocks_ahead(logs: Sequence[ReadLog], told: Mapping[str, Seconds] | None = None) -> dict[str, Seconds]:
    """Return what is known, by node; the first node's is 0. ``told`` is what a person or a measurement says.

    A node whose clock cannot be compared is not in it.
    """
    nodes = list(dict.fromkeys(log.node for log in logs))
    if not nodes:
        return {}
    told = dict(told or {})
    base = told.get(nodes[0], 0.0)
    ahead: dict[str, Seconds] = {nodes[0]: 0.0}
    first = _moments(logs, nodes[0])
    for node in nodes[1:]:
        if node in told:
            ahead[node] = told[node] - base
            continue
        found = _difference(first, _moments(logs, node))
        if found is not None:
            ahead[node] = found
    return ahead


def _moments(logs: Sequence[ReadLog], node: str) -> dict[str, Seconds]:
    """Return when a node logged each kind of moment for the first time in its last start."""
    found: dict[str, Seconds] = {}
    for log in logs:
        for fact in log.facts:
            if log.node == node and fact.line.time_s is not None and fact.key.startswith(_AT_BARRIERS):
                found.setdefault(fact.key, fact.line.time_s)
    return found


def _difference(first: Mapping[str, Seconds], other: Mapping[str, Seconds]) -> Seconds | None:
    """Return the median of the differences, None for too few or where most do not agree with it."""
    apart: list[Seconds] = []
    last: Seconds | None = None
    for key in sorted((key for key in first if key in other), key=lambda key: first[key]):
        if last is None or first[key] - last >= _SAME_S:
            apart.append(other[key] - first[key])
            last = first[key]
    if len(apart) < _FEWEST:
        return None
    middle = median(apart)
    agree = sum(abs(one - middle) <= _AGREE_S for one in apart)
    return middle if agree >= _FEWEST and 2 * agree > len(apart) else None

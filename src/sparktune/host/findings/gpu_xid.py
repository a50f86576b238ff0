"""GPU errors (Xid) in this boot's kernel log."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.kernel_log import KernelLogFacts
from sparktune.host.findings._shared import Found, node_rule
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(node: NodeFacts) -> Iterator[Found]:
    log = node.get(KernelLogFacts)
    for found in (log.xids.value or ()) if log is not None else ():
        yield Found(
            severity=Severity.WARNING,
            evidence=f"Xid {found.xid}: {found.lines.count} lines in this boot; last: {found.lines.last}",
            hint="look the number up in NVIDIA's Xid table; what was measured around it is not to be used",
        )


FINDING = node_rule(
    "gpu-xid",
    title="The GPU driver reported errors",
    why="An Xid is a fault of the program, the driver or the hardware; 79 means that the GPU fell off the bus.",
    source="NVIDIA documentation, XID Errors",
    judge=_judge,
)

"""An engine's log says that NCCL uses sockets: numbers of several nodes then describe TCP."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.findings._shared import Found, cluster_rule
from sparktune.host.nccl_log import NcclEventKind, logged
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(nodes: tuple[NodeFacts, ...]) -> Iterator[Found]:
    missing = {one.file for one in logged(nodes, NcclEventKind.NO_IB_DEVICE)}
    for one in logged(nodes, NcclEventKind.USES_SOCKET):
        reason = "; before that it found no RDMA device" if one.file in missing else ""
        yield Found(
            severity=Severity.ERROR,
            evidence=f"NCCL uses sockets: {one.evidence}{reason}",
            hint="measure nothing over several nodes until it says 'Using network IB': give the container "
            "devices: [/dev/infiniband:/dev/infiniband] (a bind mount is not enough) and ulimits: {memlock: -1}; do "
            "not judge by the decode rate, which hardly shows it",
            node=one.node,
            file=one.file,
            line=one.event.line,
        )


FINDING = cluster_rule(
    "log-socket",
    title="NCCL's log says that it uses sockets",
    why="Every number of several nodes then describes TCP. Decode rates can be equal (36.0 and 35.7 tok/s in one "
    "report) while the time to the first token doubles (52 and 111 ms).",
    source="NVIDIA/nccl src/init.cc; https://github.com/heitor-mocelin/dgx-spark-research 2xAsusGx10/results; "
    "https://github.com/vllm-project/vllm/pull/42075",
    judge=_judge,
)

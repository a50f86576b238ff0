"""An engine's log says that the peer did not acknowledge: large packets are lost on the way."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.findings._shared import Found, cluster_rule
from sparktune.host.nccl_log import NcclEventKind, logged
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(nodes: tuple[NodeFacts, ...]) -> Iterator[Found]:
    for one in logged(nodes, NcclEventKind.RETRY_EXCEEDED):
        yield Found(
            severity=Severity.ERROR,
            evidence=f"a peer did not acknowledge: {one.evidence}",
            hint="compare the MTU of each rail on all nodes, both ways: ping -M do -s 8972 PEER; then firewall rules "
            "of each rail, and whether every device has its address. After such a change the first start may tune for "
            "tens of minutes: a watchdog that is shorter sees a hang that is none",
            node=one.node,
            file=one.file,
            line=one.event.line,
        )


FINDING = cluster_rule(
    "log-retry-exceeded",
    title="NCCL's log says that a peer did not acknowledge",
    why="IBV_WC_RETRY_EXC_ERR (12): small messages pass and large ones are lost, as with an MTU that differs between "
    "the ends; or the peer is gone.",
    source="ibv_poll_cq(3); https://github.com/tonyd2wild/DeepSeek-v4-Flash-Vision-Exp-DSpark-1M-NVFP4-KV-2x-DGX-Spark "
    "issue 38",
    judge=_judge,
)

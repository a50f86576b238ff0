"""An RDMA connection was already broken."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="rdma-flushed",
    title="An RDMA connection was already broken",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=(
        "WR_FLUSH_ERR",
        "Got completion from peer",
    ),
    pattern=re.compile(r"WR_FLUSH_ERR|Got completion from peer.{0,200}? with status=5\b"),
    source="NCCL 2.30.7, src/transport/net_ib; ibv_poll_cq(3)",
    cause="What was still queued on a connection that had failed before comes back flushed.",
    fix="Look for the completion, or the error of the other node, that came first.",
)

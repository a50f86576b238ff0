"""The other end of an RDMA connection does not acknowledge."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="rdma-retry-exceeded",
    title="The other end of an RDMA connection does not acknowledge",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "RETRY_EXC_ERR",
        "Got completion from peer",
    ),
    pattern=re.compile(
        r"(?<!RNR_)RETRY_EXC_ERR"
        r"|Got completion from peer.{0,200}? with status=(?:\w{0,40}\()?12\b(?!.{0,40}RETRY_EXC)"
    ),
    source=(
        "NCCL 2.30.7, src/transport/net_ib; ibv_poll_cq(3); "
        "https://github.com/tonyd2wild/DeepSeek-v4-Flash-Vision-Exp-DSpark-1M-NVFP4-KV-2x-DGX-Spark issue 38"
    ),
    cause=(
        "Packets were lost until retries ran out: an MTU that is smaller on one side, a rail without route or "
        "address, a firewall on one rail. It also follows when the process at the other end has died."
    ),
    fix=(
        "If the other node has an earlier error, that one is the cause. Otherwise compare MTU and addresses of "
        "both ends, and try ping -M do -s 8972 on each rail; sparktune doctor compares them."
    ),
)

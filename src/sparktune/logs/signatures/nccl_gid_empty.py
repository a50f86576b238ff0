"""RDMA uses an empty GID slot."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The device is {found['device']}." if found["device"] else ""


SIGNATURE = LogSignature(
    id="nccl-gid-empty",
    title="RDMA uses an empty GID slot",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("ibv_modify_qp failed with",),
    pattern=re.compile(
        r"ibv_modify_qp failed with (?:error )?(?:61\b"
        r"|No data available)(?:.{0,60}? on dev (?P<device>[\w.-]{1,40}))?"
    ),
    source=(
        "NCCL 2.30.7, src/misc/ibvwrap.cc; https://github.com/bytebunkerlabs/dgx-spark-serve docs/00-networking.md"
    ),
    cause=(
        "Errno 61 is ENODATA: NCCL_IB_GID_INDEX points to an entry of the GID table that has no address. The "
        "table moves when interfaces change, and differs between nodes; a connection that stood hides it until "
        "the next start."
    ),
    fix=(
        "Leave NCCL_IB_GID_INDEX unset on both nodes: NCCL since 2.21 chooses the RoCE v2 entry with an IPv4 "
        "address itself. An empty string is not unset, it is 0. sparktune doctor shows the tables. It is not the "
        "cable."
    ),
    explain=_told,
)

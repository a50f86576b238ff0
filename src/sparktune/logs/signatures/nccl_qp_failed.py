"""RDMA could not set up a connection."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The answer was: {found['why'].strip()}."


SIGNATURE = LogSignature(
    id="nccl-qp-failed",
    title="RDMA could not set up a connection",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("ibv_modify_qp failed with",),
    pattern=re.compile(r"ibv_modify_qp failed with (?:error )?(?!61\b|No data available)(?P<why>[^,\n]{1,80})"),
    source="NCCL 2.30.7, src/misc/ibvwrap.cc; ibv_modify_qp(3)",
    cause=(
        "The two ends could not be joined: an address that is gone after a restart, different GIDs or MTUs, a "
        "rail that is down or reaches another network (110, timed out)."
    ),
    fix=(
        "On both nodes compare addresses, GID tables and MTU of the rail that the line names: sparktune doctor on "
        "both. Leave NCCL_IB_GID_INDEX unset."
    ),
    explain=_told,
)

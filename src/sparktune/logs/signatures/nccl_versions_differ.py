"""The nodes have different versions of NCCL."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    one, other = (_version(int(found[name])) for name in ("first", "second"))
    return f"Rank {found['one']} has {one}, rank {found['other']} has {other}."


def _version(code: int) -> str:
    """Return a version as people write it; NCCL_VERSION of nccl.h, since 2.9."""
    return f"{code // 10000}.{code // 100 % 100}.{code % 100}"


SIGNATURE = LogSignature(
    id="nccl-versions-differ",
    title="The nodes have different versions of NCCL",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("Mismatched NCCL version detected",),
    pattern=re.compile(
        r"Mismatched NCCL version detected : rank (?P<one>\d{1,6}) version (?P<first>\d{1,9}) rank"
        r" (?P<other>\d{1,6}) version (?P<second>\d{1,9})"
    ),
    source="NCCL 2.30.7, src/init.cc",
    cause=(
        "Ranks that talk to each other must have the same version; the nodes run different images or one has a "
        "library of its own mounted."
    ),
    fix=(
        "Compare the images by digest on both nodes, and what LD_LIBRARY_PATH and VLLM_NCCL_SO_PATH say; "
        "sparktune drift names what differs."
    ),
    explain=_told,
)

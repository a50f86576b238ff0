"""Two ranks use the same GPU."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The ranks are {found['one']} and {found['other']}."


SIGNATURE = LogSignature(
    id="nccl-same-gpu",
    title="Two ranks use the same GPU",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("Duplicate GPU detected",),
    pattern=re.compile(r"Duplicate GPU detected : rank (?P<one>\d{1,6}) and rank (?P<other>\d{1,6})"),
    source="NCCL before 2.30, src/init.cc",
    cause=(
        "A Spark has one GPU. Two ranks of one group were started on the same node, or both nodes give the same "
        "host name."
    ),
    fix=(
        "One rank per Spark: check that the second rank runs on the second node, and that the nodes' host names differ."
    ),
    explain=_told,
)

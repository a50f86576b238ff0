"""The kernel ended a process, since memory ran out."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    if found["name"]:
        return f"It ended {found['name']} ({found['pid']})."
    if found["who"]:
        return f"{found['who']} asked for memory; a line below says which process was ended."
    return ""


SIGNATURE = LogSignature(
    id="kernel-oom",
    title="The kernel ended a process, since memory ran out",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "invoked oom-killer",
        "Killed process",
        "killed by the OOM killer",
    ),
    pattern=re.compile(
        r"(?P<who>\S{1,40}) invoked oom-killer|Killed process (?P<pid>\d{1,9}) \((?P<name>[^)]{1,40})\)"
        r"|has been killed by the OOM killer"
    ),
    source="Linux 6.17, mm/oom_kill.c; https://www.tobias-weiss.org/articles/ai/dgx-spark-vllm-oom-debugging/",
    cause=(
        "No page could be had, and the kernel chose a process. On unified memory weights, KV cache and the page "
        "cache of a checkpoint share one pool."
    ),
    fix=(
        "First what should not be there: engines left over from an earlier start, other tenants, the page cache "
        "before a start on a dedicated node. Then room for the host: vm.min_free_kbytes of some GiB, and a share "
        "of the engine that leaves some. An event counts only if its time fits the failure."
    ),
    explain=_told,
)

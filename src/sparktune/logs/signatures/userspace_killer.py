"""A service of this node ended a process, since memory ran low."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It sent SIG{found['signal']} to {found['pid']}." if found["pid"] else ""


SIGNATURE = LogSignature(
    id="userspace-killer",
    title="A service of this node ended a process, since memory ran low",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "ending SIG",
        " due to memory ",
    ),
    pattern=re.compile(
        r"[Ss]ending SIG(?P<signal>TERM|KILL) to (?:process )?(?P<pid>\d{1,9})\b"
        r"|Killed /\S{1,300} due to memory (?:used|pressure)"
    ),
    source=(
        "earlyoom(1); systemd-oomd(8); "
        "https://github.com/tonyd2wild/DeepSeek-v4-Flash-Vision-Exp-DSpark-1M-NVFP4-KV-2x-DGX-Spark issue 31; "
        "https://github.com/Mjxkill/deepseek-v4-flash-2x-dgx-spark README trap 6"
    ),
    cause=(
        "earlyoom, an anti-OOM service or systemd-oomd acts before the kernel does, and prefers the largest "
        "process: the engine."
    ),
    fix=(
        "See which service wrote the line and its limits (/etc/default/earlyoom). Leave the host more memory, or "
        "tell the service to spare the engine: then the kernel, or nobody, protects the host."
    ),
    explain=_told,
)

"""A process or container was ended by SIGKILL."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="killed-137",
    title="A process or container was ended by SIGKILL",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "exited with code 137",
        "Exited (137)",
        "exit code 137",
        "exit code: 137",
        "exit status 137",
        "ExitCode",
        "status=9/KILL",
    ),
    pattern=re.compile(
        r"(?:exited with code|(?<!died with )exit code:?|exit status) 137\b|Exited \(137\)|ExitCode\W{1,4}137\b"
        r"|code=killed, status=9/KILL"
    ),
    source="signal(7); docs.docker.com, docker container ls; systemd.exec(5)",
    cause=(
        "137 is 128 + 9: somebody sent SIGKILL. That alone is no proof of too little memory, and says nothing of "
        "who sent it."
    ),
    fix=(
        "Look at that node's kernel log and journal in the minute before: oom-killer, earlyoom, systemd-oomd, "
        "another killer, or somebody's docker kill. State.OOMKilled true is the container's limit. A journal that "
        "stops in the middle of a line is a node that lost power."
    ),
)

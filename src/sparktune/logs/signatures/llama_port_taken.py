"""llama-server could not take its port."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It is {found['host']} port {found['port']}."


SIGNATURE = LogSignature(
    id="llama-port-taken",
    title="llama-server could not take its port",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("couldn't bind HTTP server socket",),
    pattern=re.compile(r"couldn't bind HTTP server socket, hostname: (?P<host>[^,]{1,100}), port: (?P<port>\d{1,5})"),
    source="llama.cpp b11549, tools/server/server-http.cpp",
    cause="Another process listens there, or the address is not one of this node.",
    fix="ss -ltnp shows who listens. End that service by its own launcher, or take another port or --host.",
    engines=("llamacpp",),
    explain=_told,
)

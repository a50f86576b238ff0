"""llama.cpp cannot reach an RPC server."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It is {found['end']}."


SIGNATURE = LogSignature(
    id="llama-rpc-not-reached",
    title="llama.cpp cannot reach an RPC server",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("Failed to connect to",),
    pattern=re.compile(r"(?:^|: )Failed to connect to (?P<end>[\w.-]{1,100}:\d{1,5})\b"),
    source="llama.cpp 004d67e, ggml/src/ggml-rpc/ggml-rpc.cpp",
    cause=(
        "Nothing listens there: ggml-rpc-server on the other node has not started or has ended, listens on "
        "another address (127.0.0.1 by default), or a firewall is between."
    ),
    fix="On the other node: ss -ltnp, and start it with -H on its fabric address. Try it with nc -vz from here.",
    engines=("llamacpp",),
    explain=_told,
)

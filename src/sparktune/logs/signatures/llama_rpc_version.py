"""The RPC server is of another version."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The server's protocol is {found['version']}."


SIGNATURE = LogSignature(
    id="llama-rpc-version",
    title="The RPC server is of another version",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("RPC server version mismatch",),
    pattern=re.compile(r"RPC server version mismatch: (?P<version>[\d.]{1,20})"),
    source="llama.cpp 004d67e, ggml/src/ggml-rpc/ggml-rpc.cpp",
    cause="Both ends speak a protocol that changes with builds.",
    fix="Run the same build of llama.cpp on both nodes; restart ggml-rpc-server after an upgrade.",
    engines=("llamacpp",),
    explain=_told,
)

"""The connection to an RPC server broke."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="llama-rpc-lost",
    title="The connection to an RPC server broke",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=(
        "Remote RPC server crashed",
        "RPC handshake failed",
    ),
    pattern=re.compile(r"Remote RPC server crashed or returned malformed response|RPC handshake failed"),
    source="llama.cpp 004d67e, ggml/src/ggml-rpc/ggml-rpc.cpp",
    cause="The server on the other node ended, mostly for lack of memory, or is of another version.",
    fix="Read the log of ggml-rpc-server on that node, and its kernel's log.",
    engines=("llamacpp",),
)

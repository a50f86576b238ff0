"""The engine is to use more GPUs than this node has."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"It is to use {found['size']} and has {found['gpus']}."


SIGNATURE = LogSignature(
    id="gpus-too-few",
    title="The engine is to use more GPUs than this node has",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("is larger than the number of available GPUs",),
    pattern=re.compile(
        r"World size \((?P<size>\d{1,6})\) is larger than the number of available GPUs \((?P<gpus>\d{1,6})\)"
    ),
    source="vLLM 0.33.0, vllm/config/parallel.py",
    cause="A Spark has one GPU: two ranks need two nodes, and the engine was not told of the second.",
    fix=(
        "Start it over nodes: --nnodes 2 with --node-rank and the master's address on each, or the Ray backend "
        "with both nodes joined."
    ),
    engines=("vllm",),
    explain=_told,
)

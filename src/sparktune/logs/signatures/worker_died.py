"""A worker of the engine has ended."""

__all__ = ["SIGNATURE"]

import re

from sparktune.logs.signatures._shared import exit_told
from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return exit_told(found["code"] or found["other"])


SIGNATURE = LogSignature(
    id="worker-died",
    title="A worker of the engine has ended",
    role=LogRole.SECONDARY,
    severity=Severity.WARNING,
    words=(
        "WorkerProc initialization failed",
        "WorkerProc failed to start",
        "died unexpectedly",
        "died with exit code",
    ),
    pattern=re.compile(
        r"WorkerProc initialization failed|WorkerProc failed to start|WorkerProc rank=.{1,60}? died unexpectedly"
        r"|Worker proc \S{1,80} died unexpectedly(?: \(exit code: (?P<code>-?\d{1,4})\))?"
        r"|Process \S{1,80} \(PID: \d{1,9}\) died with exit code (?P<other>-?\d{1,4})"
    ),
    source="vLLM 0.33.0, vllm/v1/executor/multiproc_executor.py and vllm/v1/utils.py",
    cause=(
        "Its parent tells that it is gone; the worker's own lines before it say why. A worker that was killed "
        "says nothing."
    ),
    fix=(
        "Read the worker's lines above. Without any: the kernel's log, earlyoom and other killers of that node at "
        "this time."
    ),
    engines=("vllm",),
    explain=_told,
)

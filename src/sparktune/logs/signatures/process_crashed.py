"""A process crashed."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="process-crashed",
    title="A process crashed",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "egmentation fault",
        "Segfault encountered",
        "Fatal Python error",
        "core dumped",
    ),
    pattern=re.compile(r"\b[Ss]egmentation fault|Segfault encountered|Fatal Python error: (?!Bus)|\(core dumped\)"),
    source="CPython 3.12, faulthandler; signal(7), SIGSEGV",
    cause="Native code of the engine or a library failed; there is no exception that says where.",
    fix=(
        "faulthandler's list of threads names the call: the topmost line of the current thread. Try another "
        "backend for that part, and the image as it was published."
    ),
)

"""The port is taken."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="address-in-use",
    title="The port is taken",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "ddress already in use",
        "EADDRINUSE",
        "Port is already in use",
    ),
    pattern=re.compile(
        r"^(?!.{0,600}programming external connectivity).{0,1500}?(?:[Aa]ddress already in use(?!\. Retrying)"
        r"|EADDRINUSE|Port is already in use)"
    ),
    source=(
        "bind(2), EADDRINUSE; SGLang 0.5.23, sglang/srt/server_args.py; "
        "https://github.com/Blackwellboy/model-serving-minefield trap 53"
    ),
    cause=(
        "Another process listens there: often the engine that was to be replaced, so that requests still reach "
        "the old one."
    ),
    fix=(
        "ss -ltnp shows who listens. End that service by its own launcher, or take another port; after a restart "
        "see that the process is new."
    ),
)

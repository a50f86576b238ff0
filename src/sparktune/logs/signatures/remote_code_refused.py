"""The model brings code that nobody has allowed."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="remote-code-refused",
    title="The model brings code that nobody has allowed",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "trust_remote_code=True",
        "custom code which must be executed",
    ),
    pattern=re.compile(
        r"(?:setting|pass the argument|the option) `?trust_remote_code=True|custom code which must be executed"
    ),
    source="vLLM 0.33.0, vllm/transformers_utils/config.py; transformers 4, dynamic_module_utils.py",
    cause="Its repository has Python files that would run on this machine.",
    fix=(
        "Read the code or trust its makers, then add --trust-remote-code on every node; or take a version of "
        "engine that knows the model itself."
    ),
)

"""The hub refuses the request."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    return f"The answer was {found['code']}."


SIGNATURE = LogSignature(
    id="hub-refuses",
    title="The hub refuses the request",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "401 Client Error",
        "403 Client Error",
    ),
    pattern=re.compile(r"(?<!GatedRepoError: )(?<!RepositoryNotFoundError: )(?P<code>40[13]) Client Error"),
    source="huggingface_hub 2.4.0, utils/_http.py",
    cause="401: no token, or one that is no longer valid. 403: the token may not read this.",
    fix=(
        "See that HF_TOKEN reaches the container on every node and is valid (hf auth whoami), and that it has the "
        "right to read this repository."
    ),
    explain=_told,
)

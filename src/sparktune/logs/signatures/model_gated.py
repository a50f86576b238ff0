"""The model needs a permission that this token does not have."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="model-gated",
    title="The model needs a permission that this token does not have",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "access a gated repo",
        "access gated repo",
        "GatedRepoError",
    ),
    pattern=re.compile(r"(?:access (?:a )?gated repo|GatedRepoError)"),
    source="huggingface_hub 2.4.0, utils/_http.py",
    cause="The repository's terms have to be accepted by the account, and the token has to reach the container.",
    fix=(
        "Accept the terms on the model's page, give the container HF_TOKEN of that account, and see that it is "
        "set on every node."
    ),
)

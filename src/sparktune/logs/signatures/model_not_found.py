"""The model is not where it was looked for."""

__all__ = ["SIGNATURE"]

import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature

SIGNATURE = LogSignature(
    id="model-not-found",
    title="The model is not where it was looked for",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=(
        "Repository Not Found for url",
        "Invalid repository ID or local directory specified",
        "is not a local folder and is not a valid model identifier",
        "RepositoryNotFoundError",
    ),
    pattern=re.compile(
        r"(?<!RepositoryNotFoundError: )Repository Not Found for url"
        r"|Invalid repository ID or local directory specified"
        r"|is not a local folder and is not a valid model identifier|RepositoryNotFoundError"
    ),
    source="huggingface_hub 2.4.0, utils/_http.py; vLLM 0.33.0, vllm/transformers_utils/config.py",
    cause=(
        "The name is misspelt, the folder is not mounted at that path in this container, or the repository is "
        "private and nobody is logged in."
    ),
    fix=(
        "Check the path inside the container on every node (each has to have the files), the spelling, and "
        "HF_TOKEN for a private repository."
    ),
)

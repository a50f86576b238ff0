"""Which server is meant: a URL, a service of ``sparktune.yaml``, or the server of an earlier run."""

__all__ = ["ServiceChoice", "find_service"]

from dataclasses import dataclass
from pathlib import Path

from sparktune.errors import UsageError
from sparktune.model.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceChoice:
    """Where to measure, and what the configuration knows about it."""

    endpoint: str
    model: str | None = None
    api_key_env: str | None = None
    api_key_file: Path | None = None


def find_service(url: str, name: str, earlier: Run | None) -> ServiceChoice:
    """Return the service. Raises UsageError when none is named."""
    if url:
        return ServiceChoice(endpoint=url)
    if earlier is not None:
        return ServiceChoice(endpoint=earlier.base_url)
    message = "no server is named"
    raise UsageError(message, hint="give its address: sparktune bench http://HOST:8000/v1")

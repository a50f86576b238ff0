"""The agent as one archive in memory: the same bytes for the same sources."""

__all__ = ["agent_archive"]

import io
import zipfile
from functools import cache
from importlib.resources import files

_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the first date that an archive can hold


@cache
def agent_archive() -> bytes:
    """Return a zip that Python can import ``sparktune.agent`` from; nothing else of sparktune is in it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo("sparktune/__init__.py", _LONG_AGO), b"")
        for source in sorted(files("sparktune.agent").iterdir(), key=lambda entry: entry.name):
            if source.name.endswith(".py"):
                archive.writestr(zipfile.ZipInfo(f"sparktune/agent/{source.name}", _LONG_AGO), source.read_bytes())
    return buffer.getvalue()

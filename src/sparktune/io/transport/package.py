"""The agent as one archive in memory: the same bytes for the same sources."""

__all__ = ["agent_archive"]

import io
import zipfile
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the first date that an archive can hold
# ``python3 agent.pyz`` runs this: the commands of a node that no controller talks to. A timer runs ``follow`` every few
# seconds: it goes without the modules of all others, which take ten times as long to load as it takes.
_MAIN = b"""\
import sys

if sys.argv[1:] == ["follow"]:
    from sparktune.agent.follow import main
else:
    from sparktune.agent.node_main import main
main()
"""


@cache
def agent_archive() -> bytes:
    """Return a zip that Python can import ``sparktune.agent`` from, or run; nothing else of sparktune is in it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo("__main__.py", _LONG_AGO), _MAIN)
        archive.writestr(zipfile.ZipInfo("sparktune/__init__.py", _LONG_AGO), b"")
        for name, source in _sources("sparktune/agent", files("sparktune.agent")):
            archive.writestr(zipfile.ZipInfo(name, _LONG_AGO), source)
    return buffer.getvalue()


def _sources(name: str, folder: Traversable) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        inside = f"{name}/{entry.name}"
        if entry.is_dir():
            yield from _sources(inside, entry)
        elif entry.name.endswith(".py"):
            yield inside, entry.read_bytes()

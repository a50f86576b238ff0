"""What ``--version`` says: the version first, then what a report of a fault needs besides."""

__all__ = ["version_text"]

import platform
import sys
from importlib import resources

from sparktune import __version__
from sparktune.agent.protocol import PROTOCOL

_COMMIT = "_commit.txt"  # written beside this package when it is built, see hatch_build.py


def version_text() -> str:
    """Return a line each for the version, the commit, Python and machine, and the versions of what others read."""
    folder = resources.files("sparktune")
    stores = max(int(one.name[:4]) for one in (folder / "io/store/schema").iterdir() if one.name[:4].isdigit())
    lines = [
        f"sparktune {__version__}",
        f"commit {_commit()}",
        f"Python {platform.python_version()} ({sys.executable})",
        f"{platform.system()} {platform.release()} {platform.machine()}",
        f"JSON schema 1, store {stores}, agent protocol {PROTOCOL}",
    ]
    return "".join(f"{line}\n" for line in lines)


def _commit() -> str:
    try:
        return (resources.files("sparktune") / _COMMIT).read_text().strip() or "unknown"
    except OSError:
        return "unknown (not a built package)"

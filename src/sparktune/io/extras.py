"""How the packages of an extra come into the Python that runs this program.

They are named one by one, since this program is on no package index: ``pip install 'sparktune[tui]'`` would ask one for
a package of that name, whoever owns it. The names are those of pyproject.toml, which a test compares.
"""

__all__ = ["EXTRAS", "install_command"]

import shlex
import sys
from collections.abc import Mapping
from typing import Final

EXTRAS: Final[Mapping[str, tuple[str, ...]]] = {
    "demo": ("xllamacpp>=2026.10",),
    "png": ("resvg-py>=0.5",),
    "study": ("optuna>=4.4", "psycopg[binary]>=3.2"),
    "tui": ("textual>=8.2",),
}


def install_command(extra: str) -> str:
    """Return the command line that installs what an extra brings."""
    return shlex.join((sys.executable, "-m", "pip", "install", *EXTRAS[extra]))

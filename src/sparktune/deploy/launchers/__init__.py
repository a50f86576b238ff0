"""One file per way to set the arms of an experiment; each exports ``LAUNCHER``."""

__all__ = ["all_launchers"]

import sys
from functools import cache

from sparktune.model.launcher import Launcher
from sparktune.plugins import load_plugins


@cache
def all_launchers() -> tuple[Launcher, ...]:
    """Return every launcher, by the name of its file."""
    return load_plugins(sys.modules[__name__], "LAUNCHER", Launcher)

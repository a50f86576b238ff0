"""One file per guard: what ends a load before it harms its host; each exports ``GUARD``."""

__all__ = ["all_guards"]

import sys
from functools import cache

from sparktune.model.guard import Guard
from sparktune.plugins import load_plugins


@cache
def all_guards() -> tuple[Guard, ...]:
    """Return every guard, by the name of its file."""
    return load_plugins(sys.modules[__name__], "GUARD", Guard)

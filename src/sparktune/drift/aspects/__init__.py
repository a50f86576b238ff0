"""One file per thing that can drift; each exports ``ASPECT``."""

__all__ = ["all_aspects"]

import sys
from functools import cache

from sparktune.model.drift import DriftAspect
from sparktune.plugins import load_plugins


@cache
def all_aspects() -> tuple[DriftAspect, ...]:
    """Return every one of them, by the name of its file."""
    return load_plugins(sys.modules[__name__], "ASPECT", DriftAspect)

"""One file per setting, with all that is known of it; each exports ``KNOB``."""

__all__ = ["all_knobs"]

import sys
from functools import cache

from sparktune.model.knob import Knob
from sparktune.plugins import load_plugins


@cache
def all_knobs() -> tuple[Knob, ...]:
    """Return every one of them, by the name of its file."""
    return load_plugins(sys.modules[__name__], "KNOB", Knob)

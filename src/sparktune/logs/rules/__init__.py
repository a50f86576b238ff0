"""One file per judgement on what logs tell; each exports ``RULE``."""

__all__ = ["all_rules"]

import sys
from functools import cache

from sparktune.model.log import LogRule
from sparktune.plugins import load_plugins


@cache
def all_rules() -> tuple[LogRule, ...]:
    """Return every one of them, by the name of its file."""
    return load_plugins(sys.modules[__name__], "RULE", LogRule)

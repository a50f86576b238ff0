"""One file per rule of lint; each exports ``RULE``."""

__all__ = ["all_rules"]

import sys
from functools import cache

from sparktune.model.lint import LintRule
from sparktune.plugins import load_plugins


@cache
def all_rules() -> tuple[LintRule, ...]:
    """Return every one of them, by the name of its file."""
    return load_plugins(sys.modules[__name__], "RULE", LintRule)

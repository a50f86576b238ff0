"""One file per kind of text; each exports ``FORMAT``."""

__all__ = ["all_formats"]

import sys
from functools import cache

from sparktune.model.document import Format
from sparktune.plugins import load_plugins


@cache
def all_formats() -> tuple[Format, ...]:
    """Return every format, strict ones first."""
    found = load_plugins(sys.modules[__name__], "FORMAT", Format)
    return tuple(sorted(found, key=lambda one: (one.order, one.id)))

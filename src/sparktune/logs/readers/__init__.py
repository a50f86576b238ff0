"""One file per reader of facts; each exports ``READER``."""

__all__ = ["all_readers"]

import sys
from functools import cache

from sparktune.model.log import LogReader
from sparktune.plugins import load_plugins


@cache
def all_readers() -> tuple[LogReader, ...]:
    """Return every one of them, by the name of its file."""
    return load_plugins(sys.modules[__name__], "READER", LogReader)

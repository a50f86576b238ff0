"""One file per poller that is known by name; each exports ``POLLER``."""

__all__ = ["all_known"]

import sys
from functools import cache

from sparktune.model.place import KnownPoller
from sparktune.plugins import load_plugins


@cache
def all_known() -> tuple[KnownPoller, ...]:
    """Return every one of them, by the name of its file."""
    return load_plugins(sys.modules[__name__], "POLLER", KnownPoller)

"""One file per message whose meaning is known; each exports ``SIGNATURE``."""

__all__ = ["all_signatures"]

import sys
from functools import cache

from sparktune.model.log import LogSignature
from sparktune.plugins import load_plugins


@cache
def all_signatures() -> tuple[LogSignature, ...]:
    """Return every one of them, by the name of its file."""
    return load_plugins(sys.modules[__name__], "SIGNATURE", LogSignature)

"""One file per kind of step; each exports ``KIND``, which knows how to look, do, compare and put back."""

__all__ = ["all_kinds"]

import importlib
import pkgutil
from functools import cache

from sparktune.agent.kind import Kind


@cache
def all_kinds() -> dict[str, Kind]:
    """Return every kind of step by its name. It works from an archive, too: ``pkgutil`` knows how to list one."""
    kinds: dict[str, Kind] = {}
    for info in pkgutil.iter_modules(__path__):
        if info.name.startswith("_"):
            continue
        kind = importlib.import_module(f"{__name__}.{info.name}").KIND
        if not isinstance(kind, Kind):
            message = f"{info.name} exports no kind of step: {kind!r}"
            raise TypeError(message)
        kinds[kind.name] = kind
    return kinds

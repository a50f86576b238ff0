"""Find plug-in files: every public module of a package exports one constant of one type.

A new engine, metric or check is a new file; nothing else has to name it.
"""

__all__ = ["load_plugins"]

import importlib
import pkgutil
from types import ModuleType
from typing import TypeVar

_T = TypeVar("_T")


def load_plugins(package: ModuleType, constant: str, kind: type[_T]) -> tuple[_T, ...]:
    """Import each public module of ``package`` (no leading underscore) and return its ``constant``, by module name.

    Raises TypeError when a module does not export the constant or exports another type: a fault of this program,
    never of its user.
    """
    found: list[_T] = []
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda module: module.name):
        if info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        value = getattr(module, constant, None)
        if not isinstance(value, kind):
            message = f"{module.__name__} exports no {constant} of type {kind.__name__}: {value!r}"
            raise TypeError(message)
        found.append(value)
    return tuple(found)

"""One file per engine: how it is recognised, asked, counted and read. A new engine is a new file here.

By which names a process or a container is known as an engine's, is in ``_names.py``.
"""

__all__ = ["Role", "all_engines", "by_name", "detect", "engine_of_image", "role_of"]

import sys
from functools import cache

from sparktune.engines._names import Role, engine_of_image, role_of
from sparktune.errors import UsageError
from sparktune.model.engine import Answers, Engine, EngineFacts
from sparktune.plugins import load_plugins


@cache
def all_engines() -> tuple[Engine, ...]:
    """Return the engines in the order in which they are tried; the generic one is last."""
    engines = load_plugins(sys.modules[__name__], "ENGINE", Engine)
    return tuple(sorted(engines, key=lambda engine: engine.rank))


def detect(answers: Answers) -> tuple[Engine, EngineFacts]:
    """Return the first engine that knows these answers; the generic one takes any."""
    found = ((engine, engine.detect(answers)) for engine in all_engines())
    return next((engine, facts) for engine, facts in found if facts is not None)


def by_name(name: str) -> Engine:
    """Return the engine of that name. Raises UsageError when there is none."""
    for engine in all_engines():
        if engine.name == name:
            return engine
    message = f"no engine is called {name!r}"
    raise UsageError(message, hint="known engines: " + ", ".join(engine.name for engine in all_engines()))

"""Keep the interpreter from interrupting a wave."""

__all__ = ["calm_interpreter", "collect_young"]

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def calm_interpreter() -> Iterator[None]:
    """No automatic garbage collection inside: a full one stops all threads for tens of milliseconds."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def collect_young() -> None:
    """Collect what other threads left behind since the last call, so that a long wave does not pile it up."""
    gc.collect(0)

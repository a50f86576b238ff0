"""Runs ``sparktune`` and dies by SIGKILL right after a write to the store: ``python -m ... NAME:K ARGUMENTS``.

NAME is a method of the store that writes, K counts its calls from 1.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from sparktune.cli.app import main
from sparktune.io.store.store import Store


def _die_after(name: str, count: int) -> None:
    original: Callable[..., Any] = getattr(Store, name)
    calls = 0

    def write(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - as the method has them
        nonlocal calls
        result = original(*arguments, **options)
        calls += 1
        if calls == count:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(Store, name, write)


if __name__ == "__main__":
    where, *words = sys.argv[1:]
    method, _, number = where.partition(":")
    _die_after(method, int(number))
    sys.argv = ["sparktune", *words]
    main()

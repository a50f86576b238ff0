"""Turn Ctrl-C and SIGTERM into one orderly stop."""

__all__ = ["stop_on_signals"]

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_on_signals(stop: Callable[[], None], *more: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` once, in the running event loop, for the first SIGINT or SIGTERM, and ``more`` for those after it.

    After these, inside the block, they do what the system does: the next one ends the process at once. After the block
    they act as they did before it.
    """
    calls = [stop, *more]
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in _SIGNALS}

    def come() -> None:
        call = calls.pop(0)
        if not calls:
            for number in _SIGNALS:
                loop.remove_signal_handler(number)
        call()

    for number in _SIGNALS:
        loop.add_signal_handler(number, come)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)

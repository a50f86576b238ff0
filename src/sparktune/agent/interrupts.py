"""Ctrl-C and SIGTERM in the middle of a transaction: it is rolled back, not left half done."""

__all__ = ["Interrupts"]

import signal
import threading
from types import FrameType, TracebackType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """``with Interrupts() as interrupts``: such signals only set ``name``; the main thread alone can do this."""

    name = ""

    def __enter__(self) -> "Interrupts":  # noqa: PYI034 - typing.Self came with Python 3.11
        """Put the handlers."""
        main = threading.current_thread() is threading.main_thread()
        self._before = {number: signal.signal(number, self._note) for number in _SIGNALS} if main else {}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Put back the handlers."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.name = signal.Signals(number).name

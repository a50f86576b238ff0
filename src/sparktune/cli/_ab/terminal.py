"""Questions in the middle of an experiment, asked so that Ctrl-C still works while nobody answers."""

__all__ = ["ask_person", "check_somebody_is_there", "hangup_as_interrupt", "said_yes", "sigterm_as_cancel"]

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from sparktune.errors import Interrupted, UsageError
from sparktune.model.arm_action import AskPerson
from sparktune.model.launcher import ArmPlan
from sparktune.report.bench.words import one_line

_T = TypeVar("_T")


@contextmanager
def hangup_as_interrupt() -> Iterator[None]:
    """Take the loss of the terminal for an interruption: a connection that breaks must not leave an arm set.

    Where it is ignored already (nohup), it stays so.
    """
    before = signal.getsignal(signal.SIGHUP)
    if before is signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGHUP, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


async def sigterm_as_cancel(work: Coroutine[Any, Any, _T]) -> _T:
    """Do the work; where Ctrl-C is ignored, as in a script's background job, let SIGTERM cancel it as Ctrl-C would.

    Python's own way to end a loop by a signal is Ctrl-C's alone, and is not there when that is ignored.
    """
    task = asyncio.current_task()
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN or task is None:
        return await work
    loop, before = asyncio.get_running_loop(), signal.getsignal(signal.SIGTERM)
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        return await work
    except asyncio.CancelledError:
        message = "interrupted"
        raise Interrupted(message, hint="sparktune ab list says whether something is held") from None
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
        signal.signal(signal.SIGTERM, before)


def check_somebody_is_there(plan: ArmPlan) -> None:
    """Refuse arms that a person has to set where nobody can be asked. Raises UsageError."""
    if not sys.stdin.isatty() and any(isinstance(action, AskPerson) for action in plan.actions):
        message = "somebody has to set each arm, and there is no terminal to ask at"
        raise UsageError(message, hint="run it in a terminal, or give each arm a switch: command in a file")


async def ask_person(text: str) -> None:
    """Show what has to be done, and return when Enter is pressed."""
    await _line(f"{one_line(text)}; press Enter when it is done ")


async def said_yes(question: str) -> bool:
    """Ask; only ``y`` and ``yes`` agree. Nobody there means no."""
    if not sys.stdin.isatty():
        return False
    return (await _line(f"{one_line(question)} [y/N] ")).strip().lower() in {"y", "yes"}


async def _line(prompt: str) -> str:
    sys.stderr.write(prompt)
    sys.stderr.flush()
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_reader(sys.stdin, lambda: None if ready.done() else ready.set_result(None))
    try:
        await ready
    finally:
        loop.remove_reader(sys.stdin)
    return sys.stdin.readline()

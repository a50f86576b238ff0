"""Record traffic: listen, pass everything on, write down its shape, and stop without cutting an answer off."""

__all__ = ["RecordOrder", "Recording", "record"]

import asyncio
import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sparktune.bench.traffic.recorder import Tally
from sparktune.errors import SparktuneError, UsageError
from sparktune.io.load.descriptors import reserve_descriptors
from sparktune.io.load.target import Target
from sparktune.io.load.timeslice import short_time_slice
from sparktune.io.record.child import RecordingProcess
from sparktune.io.record.frames import Kind
from sparktune.io.record.proxy import Proxy
from sparktune.io.signals import stop_on_signals
from sparktune.units import Seconds

_GRACE_S: Seconds = 30.0
_QUIET_S: Seconds = 2.0
_LOOK_EVERY_S: Seconds = 1.0
_MOST_CONNECTIONS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOrder:
    """Where to listen, where to pass on to, and the new file; ``for_s`` None is until a signal."""

    host: str
    port: int
    target: Target
    path: Path
    for_s: Seconds | None = None
    with_text: bool = False
    grace_s: Seconds = _GRACE_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What came of it; ``broken`` says why recording ended before the traffic did, ``cut_off`` what was open."""

    path: Path
    tally: Tally
    took_s: Seconds
    connections: int
    cut_off: int = 0
    broken: str = ""


async def record(
    order: RecordOrder,
    *,
    say: Callable[[str], None],
    listening: Callable[[int], None],
    look: Callable[[Tally], None] = lambda _tally: None,
) -> Recording:
    """Record until a signal, or the time is over. ``listening`` gets the port, ``look`` the counts once a second.

    Raises UsageError for a file or an address that cannot be had, ConnectFailed for a name without an address.
    """
    _reserve()
    proxy: Proxy | None = None
    child = RecordingProcess(say, idle=lambda numbers: proxy.close(numbers) if proxy else None)
    await child.start(order.path, with_text=order.with_text)
    began_s = time.monotonic()
    try:
        proxy = Proxy(order.target, child.feed, say)
        listening(await proxy.start(order.host, order.port))
    except SparktuneError:
        order.path.unlink(missing_ok=True)  # nothing was recorded: another attempt finds the name free
        await child.end(time.monotonic_ns())
        raise
    gc.freeze()  # what is here by now stays: a collection while streams run has less to look at
    stop, at_once = asyncio.Event(), asyncio.Event()
    with stop_on_signals(stop.set, at_once.set):  # to the end: a second signal cuts answers off, and not the summary
        try:
            with short_time_slice():
                await _until(stop, order.for_s, lambda: look(child.tally))
                cut_off = await _drain(proxy, child, order.grace_s, say, at_once)
        finally:
            await child.end(time.monotonic_ns())
    return Recording(
        path=order.path,
        tally=child.tally,
        took_s=time.monotonic() - began_s,
        connections=proxy.served,
        cut_off=cut_off,
        broken=child.broken,
    )


async def _until(stop: asyncio.Event, for_s: Seconds | None, look: Callable[[], None]) -> None:
    until_s = float("inf") if for_s is None else time.monotonic() + for_s
    while not stop.is_set() and (left_s := until_s - time.monotonic()) > 0:
        try:
            await asyncio.wait_for(stop.wait(), min(left_s, _LOOK_EVERY_S))
        except TimeoutError:
            look()


async def _drain(
    proxy: Proxy, child: RecordingProcess, grace_s: Seconds, say: Callable[[str], None], at_once: asyncio.Event
) -> int:
    """Close what is idle, let answers finish, and cut off what is left after the grace; return how many that were.

    ``at_once`` ends the grace.
    """
    proxy.stop_accepting()
    child.feed.tell(Kind.STOPPING, 0, time.monotonic_ns())
    if await proxy.empty(min(_QUIET_S, grace_s)):
        return 0
    say(f"letting {proxy.connections} connections finish, for {grace_s:.0f} s at most; Ctrl-C again ends them")
    waits = [asyncio.create_task(proxy.empty(grace_s)), asyncio.create_task(at_once.wait())]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in waits:
        wait.cancel()
    left = proxy.connections
    proxy.abort_all()
    await proxy.empty(_QUIET_S)
    return left


def _reserve() -> None:
    """Take as many open files as there are, up to what hundreds of streams need."""
    wanted = _MOST_CONNECTIONS
    while wanted:
        try:
            reserve_descriptors(2 * wanted)
        except UsageError:
            wanted //= 2
        else:
            return

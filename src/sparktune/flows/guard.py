"""``guard``: run a command, or nothing, beside the guards, and end it when one of them says so."""

__all__ = ["GuardOrder", "guard"]

import asyncio
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal

from sparktune.errors import NodeError, NodeUnreachable
from sparktune.flows.guarding import Watch
from sparktune.host.earlyoom_beside import EARLYOOM_READS, earlyoom_beside
from sparktune.host.killed import KILLERS, Killed, explain_kill
from sparktune.io.cluster import NodeTarget
from sparktune.io.guarded.command import Command, start_command
from sparktune.io.launching.proc import is_below
from sparktune.io.transport.fanout import observe_all
from sparktune.model.guard import Limits, Phase, Trip
from sparktune.model.reads import ReadCommand
from sparktune.report.guard import GuardReport, Stopped
from sparktune.units import NS_PER_S, Nanoseconds, Seconds, seconds_between

if TYPE_CHECKING:
    from sparktune.io.guarded.engine import Engine
    from sparktune.io.http.address import Address

_LOST: Final = "node-lost"
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_TOLD_S: Final[Seconds] = 3.0  # until then slow sources have answered, too
_LOGS_S: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardOrder:
    """What is guarded. ``command`` empty: nothing is run, and it is watched until somebody ends that.

    ``grace_s`` is between SIGTERM and SIGKILL. ``to_stderr``: the command's stdout goes to stderr.
    """

    targets: tuple[NodeTarget, ...]
    limits: Limits
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    engine: "Engine | None" = None
    endpoint: "Address | None" = None
    phase: Phase = Phase.LOAD
    grace_s: Seconds = 0.4
    stop_when_lost: bool = False
    to_stderr: bool = False


async def guard(order: GuardOrder, say: Callable[[str], None], warn: Callable[[str], None]) -> GuardReport:
    """Watch until the command ends, a guard trips, or somebody interrupts it.

    ``say`` gets what is worth knowing, ``warn`` what is wrong: a node that does not answer, a driver that complains.

    Raises UsageError when the command cannot be started, and NodeUnreachable when a node does not answer before it is:
    what is not watched is not guarded, and a name may be mistyped.
    """
    watch = Watch(
        order.targets,
        order.limits,
        phase=order.phase,
        say=warn,
        stop_when_lost=order.stop_when_lost,
        reads=EARLYOOM_READS,
    )
    began = time.monotonic()
    async with watch:
        if order.command:
            _need_all(watch)
        earlyoom = _earlyoom(watch, order.limits)
        for node, text in earlyoom.items():
            say(f"{node}: {text}")
        run = _Run(order, watch, say)
        report = await run.to_its_end()
        report = replace(
            report,
            curves={node: watch.curve(node) for node in watch.nodes},
            blind=watch.blind,
            off=watch.off,
            lost=watch.lost,
            earlyoom=earlyoom,
            watched_s=time.monotonic() - began,
        )
    return report if report.trip is not None else replace(report, killed=await _killed(order, report))


class _Run:
    """One run of a command, or of nothing, under a watch."""

    def __init__(self, order: GuardOrder, watch: Watch, say: Callable[[str], None]) -> None:
        self._order, self._watch, self._say = order, watch, say
        self._interrupted = asyncio.Event()
        self._command: Command | None = None

    async def to_its_end(self) -> GuardReport:
        """Return what came of it; times and curves are for the caller to add."""
        with self._beside():
            # A host that is beyond a limit already gets no load at all.
            if self._order.command and not self._watch.tripped.done():
                order = self._order
                self._command = start_command(order.command, order.environment, to_stderr=order.to_stderr)
            self._know_ours()
            try:
                with self._signals():
                    if not self._order.command:
                        self._say(f"watching {', '.join(self._watch.nodes)} until Ctrl-C")
                    return await self._first_end()
            finally:
                if self._command is not None:
                    self._command.leave()

    async def _first_end(self) -> GuardReport:
        command = self._command
        over = asyncio.create_task(self._interrupted.wait() if command is None else self._until_ended(command))
        alarm = asyncio.create_task(self._alarm())
        try:
            await asyncio.wait({alarm, over}, return_when=asyncio.FIRST_COMPLETED)
            report = GuardReport(limits=self._order.limits, watched_s=0.0, command=self._order.command)
            if alarm.done():
                trip, noticed = alarm.result(), time.monotonic_ns()
                report = replace(report, trip=trip, stopped=await self._stop(trip, noticed))
            code = None if self._command is None else self._command.code
            return replace(report, code=code, interrupted=self._interrupted.is_set())
        finally:
            for task in (alarm, over):
                task.cancel()

    async def _until_ended(self, command: Command) -> Literal[True]:
        await command.ended()
        return True

    async def _alarm(self) -> Trip:
        try:
            return await asyncio.shield(self._watch.tripped)
        except NodeError as error:
            return Trip(guard=_LOST, node="", evidence=str(error), hint=error.hint, monotonic_ns=0)

    async def _stop(self, trip: Trip, noticed: Nanoseconds) -> Stopped:
        # Neither may keep the other from its end.
        command = asyncio.ensure_future(self._end_command(noticed))
        try:
            engine = await self._end_engine(noticed)
        finally:
            ended = await command
        local = {target.name for target in self._order.targets if target.host is None}  # our own clock
        tick = trip.monotonic_ns if trip.node in local else None
        return Stopped(
            command_s=ended,
            after_tick_s=None if ended is None or tick is None else seconds_between(tick, noticed) + ended,
            engine=engine[0],
            engine_s=engine[1],
        )

    async def _end_command(self, noticed: Nanoseconds) -> Seconds | None:
        if self._command is None:
            return None
        await self._command.end(self._order.grace_s)
        return seconds_between(noticed, time.monotonic_ns())

    async def _end_engine(self, noticed: Nanoseconds) -> tuple[str, Seconds | None]:
        if self._order.engine is None:
            return "", None
        said = await self._order.engine.stop(self._order.grace_s)
        return said, seconds_between(noticed, time.monotonic_ns())

    def _know_ours(self) -> None:
        engine = self._order.engine
        if engine is None:
            return  # which processes serve is not known, so that nobody is called foreign
        for target in self._order.targets:
            if target.host is None and target.root is None:
                self._watch.ours(target.name, _Ours(engine, self._command.pid if self._command else None))

    @contextmanager
    def _beside(self) -> Iterator[None]:
        tasks = [asyncio.create_task(self._tell())]
        if self._order.endpoint is not None:
            # Half of what it takes to start is an HTTP client, and few want one.
            from sparktune.io.guarded.endpoint import ask_endpoint  # noqa: PLC0415

            tasks.append(asyncio.create_task(ask_endpoint(self._order.endpoint, self._watch.load)))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()

    async def _tell(self) -> None:
        await asyncio.sleep(_TOLD_S)
        for line in self._watch.unwatched:
            self._say(line)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Hand signals on to the command: it decides whether it ends; without one they end the watch."""
        loop = asyncio.get_running_loop()
        before = {number: signal.getsignal(number) for number in _SIGNALS}

        def take(number: signal.Signals) -> None:
            self._interrupted.set()
            if self._command is not None:
                self._command.signal(number)

        for number in _SIGNALS:
            loop.add_signal_handler(number, take, number)
        try:
            yield
        finally:
            for number, handler in before.items():
                loop.remove_signal_handler(number)
                signal.signal(number, handler)


class _Ours:
    """The processes of the engine and of the command."""

    def __init__(self, engine: "Engine", command: int | None) -> None:
        self._engine, self._command = engine, command

    def __contains__(self, pid: object) -> bool:
        if not isinstance(pid, int):
            return False
        return self._engine.owns(pid) or (self._command is not None and is_below(pid, self._command))


def _need_all(watch: Watch) -> None:
    for node, why in watch.lost.items():
        message = f"{why}; the command was not started: nobody would guard {node}"
        raise NodeUnreachable(message, hint=f"name only nodes that answer; sparktune doctor --nodes {node} says more")


def _earlyoom(watch: Watch, limits: Limits) -> dict[str, str]:
    """Return what there is to say of earlyoom on each node that answered."""
    said = {
        node: earlyoom_beside(readings, limits.available_floor)
        for node in watch.nodes
        if (readings := watch.readings(node)) is not None
    }
    return {node: text for node, text in said.items() if text}


async def _killed(order: GuardOrder, report: GuardReport) -> Killed | None:
    """Say who ended the command, or the engine, with SIGKILL, where one did."""
    code, oom = report.code, None
    engine = order.engine
    if engine is not None and engine.container and not engine.lives:
        ended, oom = await asyncio.to_thread(engine.exit_state)
        code = ended if code not in {137, -9} else code
    if code not in {137, -9}:
        return None
    now = time.time_ns()
    log = ReadCommand(
        argv=("journalctl", "--no-pager", "-o", "short-unix", "--since", f"@{now // NS_PER_S - _LOGS_S}", "-g", KILLERS)
    )
    (answer,) = await observe_all((NodeTarget(name="local"),), (log,))
    output = answer.readings.command(*log.argv).value if answer.readings is not None else None
    return explain_kill(code, ended_ns=now, logs=(output.stdout,) if output is not None else (), container_oom=oom)

"""Start, stop, kill and hear services on their nodes; every command of one service waits for the one before it."""

__all__ = ["Services", "services_of"]

import asyncio
import os
from collections import deque
from collections.abc import Sequence
from typing import Final, TextIO

from sparktune.errors import ArmFailed, BootDue, HostError, NodeBusy, NodeError, NodeNeedsRoot
from sparktune.io.cluster import NodeTarget
from sparktune.io.launching.plain_process import end_plain
from sparktune.io.launching.record import Record
from sparktune.io.launching.service_look import ids_of, look_at_service
from sparktune.io.launching.service_memory import MemoryWatch
from sparktune.io.launching.settings import HoldSettings
from sparktune.io.launching.words import Words
from sparktune.io.transport.commands import CommandEnd
from sparktune.io.transport.session import NodeSession
from sparktune.model.arm_action import AwaitMemory, EndService, KeepLog, Reboot, RunOnNode, ServiceProcess
from sparktune.model.launcher import ArmPlan, LiveService
from sparktune.model.reads import ReadCommand
from sparktune.units import Seconds, format_duration

_LAST_LINES: Final = 12
_KILL_S: Final[Seconds] = 10.0
_LOG_S: Final[Seconds] = 60.0
_BOOT_LOOK_S: Final[Seconds] = 2.0
_BOOT_ANSWER_S: Final[Seconds] = 15.0


class Services:
    """What is done on nodes for an arm; ``notes`` is where the hold collects what has to be said."""

    def __init__(self, settings: HoldSettings, words: Words, record: Record, notes: list[str]) -> None:
        """Do nothing yet."""
        self._settings, self._words, self._notes = settings, words, notes
        self._record = record
        self._memory = MemoryWatch(settings, words, record, notes)

    async def run(self, action: RunOnNode) -> None:
        """Run a command to its end. Raises ArmFailed when it fails, UsageError, NodeError, HostError."""
        target = self._settings.target(action.node)
        argv, variables = await self._argv(action, target), self._words.variables(action.environment)
        if argv is None:
            return
        shown, last = self._words.line(argv), deque[str](maxlen=_LAST_LINES)
        with self._log("-".join((target.name, argv[0]))) as log:

            def hear(line: str) -> None:
                last.append(self._words.hide(line))
                log.write(f"{last[-1]}\n")

            async with NodeSession(target) as node:
                end = await node.run(
                    argv,
                    folder=self._words.filled(action.folder),
                    environment=variables,
                    limit_s=action.limit_s,
                    turn=self._settings.base_url,
                    on_line=hear,
                )
        if end.why or end.code not in action.codes:
            raise _failed(target, shown, end, last)

    async def keep_log(self, action: KeepLog) -> None:
        """Keep what a service has said; that there is nothing to keep stops nobody."""
        target = self._settings.target(action.node)
        try:
            argv = await self._argv(action, target)
            if argv is None:
                return
            with self._log(f"boot-{action.name}") as log:

                def hear(line: str) -> None:
                    log.write(f"{self._words.hide(line)}\n")

                async with NodeSession(target) as node:
                    end = await node.run(argv, limit_s=_LOG_S, on_line=hear)
        except (ArmFailed, NodeError, HostError) as error:
            self._notes.append(f"the log of {action.name} could not be kept: {error}")
            return
        if end.code or end.why:
            self._notes.append(f"the log of {action.name} may not be whole: {end.why or f'exit code {end.code}'}")

    async def kill(self, services: Sequence[ServiceProcess]) -> None:
        """End services at once, all of them together. Raises what the first one that cannot be killed raises."""
        results = await asyncio.gather(*map(self._kill, services), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result

    async def runs(self, service: ServiceProcess) -> bool:
        """Tell whether a service has processes. Raises NodeError, UsageError."""
        async with NodeSession(self._settings.target(service.node)) as node:
            return bool((await look_at_service(node, service)).processes)

    async def end(self, action: EndService) -> None:
        """Ask a plain process to end, and see it gone. Raises ArmFailed, UsageError, NodeError."""
        note = await end_plain(self._settings.target(action.service.node), action.service, terminate_s=action.limit_s)
        self._notes += [note] if note else []

    async def await_memory(self, action: AwaitMemory) -> None:
        """Wait until a service is gone and its memory is back. Raises ArmFailed, NodeError."""
        await self._memory.wait_back(action)

    async def before_start(self, services: Sequence[ServiceProcess]) -> None:
        """Remember how much memory there is before a service is started for the first time. Raises NodeError."""
        for node in dict.fromkeys(service.node for service in services):
            await self._memory.remember(node)

    async def reboot(self, action: Reboot) -> None:
        """Boot a node anew and wait until it is back. Raises ArmFailed, NodeError; BootDue for this machine."""
        target = self._settings.target(action.node)
        if target.host is None:
            message = "the arm is written, and counts when this machine has booted"
            raise BootDue(message, hint="boot it, and go on with: sparktune ab resume")
        async with NodeSession(target, shared=False) as node:
            before = (await node.hello()).boot_id
            argv, last = ("systemctl", "reboot"), deque[str](maxlen=_LAST_LINES)
            try:
                end = await node.run(argv, limit_s=_KILL_S, turn=self._settings.base_url, on_line=last.append)
            except (NodeBusy, NodeNeedsRoot):
                raise
            except NodeError:
                pass  # the link ends with the machine
            else:
                if end.code:
                    raise _failed(target, " ".join(argv), end, last)
        await self._booted(target, before, action.limit_s)

    async def _booted(self, target: NodeTarget, before: str, limit_s: Seconds) -> None:
        ends = asyncio.get_running_loop().time() + limit_s
        while asyncio.get_running_loop().time() < ends:
            await asyncio.sleep(_BOOT_LOOK_S)
            try:
                async with NodeSession(target, limit_s=_BOOT_ANSWER_S, shared=False) as node:
                    if (await node.hello()).boot_id != before:
                        return
            except NodeError:
                continue
        message = f"{target.name} was told to boot and is not back after {format_duration(limit_s)}"
        raise ArmFailed(message, hint=f"look at its console; then see whether it answers: ssh {target.host} true")

    async def _argv(self, action: RunOnNode | KeepLog, target: NodeTarget) -> tuple[str, ...] | None:
        """Return the command with the words that the node finds for it, None when it finds none.

        Raises ArmFailed when the node cannot tell, NodeError.
        """
        argv = self._words.argv(action.argv)
        if not action.arguments_from:
            return argv
        async with NodeSession(target) as node:
            said = (await node.observe([ReadCommand(argv=action.arguments_from)])).command(*action.arguments_from)
        if said.value is None or said.value.code:
            why = said.why or (said.value.stderr.strip() if said.value else f"there is no {action.arguments_from[0]}")
            message = f"{target.name}: what {self._words.line(argv)} is about cannot be found: {why}"
            raise ArmFailed(message, hint=f"run it by hand: {self._words.line(action.arguments_from)}")
        found = tuple(word for word in dict.fromkeys(said.value.stdout.split()) if not word.startswith("-"))
        return (*argv, *found) if found else None

    async def _kill(self, service: ServiceProcess) -> None:
        target = self._settings.target(service.node)
        if service.port:
            await end_plain(target, service, terminate_s=0.0)
            return
        async with NodeSession(target) as node:
            if service.unit:
                # First it is told to stop, so that systemd does not start it again; then nothing is waited for.
                await node.run(("systemctl", "stop", "--no-block", service.unit), limit_s=_KILL_S)
                await node.run(("systemctl", "kill", "--signal=SIGKILL", service.unit), limit_s=_KILL_S)
            ids = await ids_of(node, service) if service.labels else ()
            end = await node.run(("docker", "kill", *ids), limit_s=_KILL_S) if ids else None
            # One that has just ended by itself makes docker fail, and is what was wanted.
            if end is not None and (end.code or end.why) and await ids_of(node, service):
                message = f"{target.name}: docker kill failed: {end.why or f'exit code {end.code}'}"
                raise ArmFailed(message, hint="see what still runs there: docker ps")

    def _log(self, name: str) -> TextIO:
        """Open a file that only this user may read, numbered in the order of what was done."""
        folder = self._settings.log_folder
        folder.mkdir(parents=True, exist_ok=True)
        number = len(list(folder.glob("[0-9][0-9][0-9]-*.log"))) + 1
        path = folder / f"{number:03}-{self._record.arm or 'original'}-{_plain(name)}.log"
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8")


def _failed(target: NodeTarget, shown: str, end: CommandEnd, last: Sequence[str]) -> ArmFailed:
    how = end.why or (f"exit code {end.code}" if end.code >= 0 else f"signal {-end.code}")
    said = "\n".join(last).strip()
    message = f"{target.name}: {shown} failed: {how}" + (f"; it said last:\n{said}" if said else "; it said nothing")
    return ArmFailed(message, hint=f"run it by hand on {target.name} and see what it says")


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "._" else "-" for letter in name)


def services_of(plan: ArmPlan) -> tuple[ServiceProcess, ...]:
    """Return the parts of the service that an arm runs, in the order in which they are started."""
    found: list[ServiceProcess] = []
    for reader in plan.readers:
        if isinstance(reader, LiveService) and reader.service not in found:
            found.append(reader.service)
    return tuple(found)

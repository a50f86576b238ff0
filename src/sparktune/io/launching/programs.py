"""Start an arm's server or switch, and end them; the record is told before and after each."""

__all__ = ["Programs", "end_entry"]

import asyncio
import secrets
import time
from pathlib import Path

from sparktune.errors import AddressTaken, ArmFailed
from sparktune.io.http.address import Address
from sparktune.io.launching.address import answers, owner_of, wait_free
from sparktune.io.launching.ending import end_all, find_all
from sparktune.io.launching.memory import wait_given_back
from sparktune.io.launching.proc import Seen, available_bytes, boot_id
from sparktune.io.launching.record import ProcessEntry, Record
from sparktune.io.launching.settings import HoldSettings
from sparktune.io.launching.started import Start, Started, start
from sparktune.io.launching.words import Words
from sparktune.model.arm_action import RunCommand, StartProcess
from sparktune.units import Bytes, format_duration

_LOOK_S = 0.05


class Programs:
    """The one server that runs, if any."""

    def __init__(self, settings: HoldSettings, address: Address, words: Words, record: Record) -> None:
        """Start nothing."""
        self._settings, self._address, self._words, self._record = settings, address, words, record
        self._server: Started | None = None
        self._memory: Bytes | None = None
        self.notes: list[str] = []

    @property
    def server(self) -> Started | None:
        """The server that was started and not stopped."""
        return self._server

    def living(self) -> tuple[Seen, ...]:
        """Return the processes of the server that run now."""
        server = self._server
        return () if server is None else find_all(self._entry_of(server.what.mark).mine)

    async def start_server(self, action: StartProcess, arm: str) -> None:
        """Start it where nobody else answers. Raises ArmFailed, UsageError."""
        what = self._start_of(action, arm)
        if await answers(self._address):
            message = f"something answers at {self._address.authority} already{owner_of(self._address)}"
            hint = "it was not started by this experiment and is left alone: stop it, or use another port"
            raise AddressTaken(message, hint=hint)
        self._memory = available_bytes()
        self._server = self._begin(what, "server", arm)
        self._began(self._server)

    async def run_switch(self, action: RunCommand, arm: str) -> None:
        """Run a command to its end; what it leaves running is meant to. Raises ArmFailed when it fails."""
        what = self._start_of(StartProcess(argv=action.argv, folder=action.folder), arm)
        program = self._begin(what, "switch", arm)
        try:
            self._began(program)
            failure = await _switched(program, action)
        except BaseException:
            await self._end(what.mark, program)
            raise
        if program.code is None:
            await self._end(what.mark, program)
        program.reap()
        self._record.change_process(what.mark, state="kept")
        if failure:
            raise failure

    async def stop(self) -> None:
        """End the server, and see it gone. Raises ArmFailed."""
        server = self._server
        if server is None:
            return
        await self._end(server.what.mark, server)
        self._server = None
        if not await wait_free(self._address, self._settings.kill_s):
            message = f"something answers at {self._address.authority} although all that was started has ended"
            raise ArmFailed(message + owner_of(self._address), hint="did the command start a container? Then stop it")
        missing = await wait_given_back(self._memory, self._settings.memory_slack_bytes, self._settings.memory_s)
        if missing:
            self.notes.append(f"after arm {self._record.arm}: {missing}")

    async def kill(self) -> None:
        """Kill the server without asking it first; ``stop`` sees it gone."""
        server = self._server
        if server is not None:
            await end_all(self._entry_of(server.what.mark).mine, terminate_s=0.0, kill_s=self._settings.kill_s)

    async def _end(self, mark: str, program: Started) -> None:
        note = await end_entry(self._entry_of(mark), self._settings)
        if note:
            self.notes.append(note)
        program.reap()
        self._record.change_process(mark, state="ended")

    def _entry_of(self, mark: str) -> ProcessEntry:
        return next(one for one in self._record.processes if one.mark == mark)

    def _start_of(self, action: StartProcess, arm: str) -> Start:
        argv, variables = self._words.argv(action.argv), self._words.variables(action.environment)
        mark = secrets.token_hex(16)
        number = len(self._record.processes) + 1
        return Start(
            argv=argv,
            environment={**self._settings.environment, **variables},
            folder=self._settings.work_folder / Path(self._words.filled(action.folder)).expanduser(),
            mark=mark,
            log=self._settings.log_folder / f"{number:03}-{arm}-{mark[:6]}.log",
            shown=self._words.line(argv),
            secrets=self._words.secrets,
        )

    def _begin(self, what: Start, kind: str, arm: str) -> Started:
        entry = ProcessEntry(
            mark=what.mark,
            kind="server" if kind == "server" else "switch",
            arm=arm,
            command=what.shown,
            log=str(what.log),
            state="starting",
            boot=boot_id(),
        )
        self._record.put_process(entry)
        try:
            program = start(what)
        except BaseException:
            self._record.change_process(what.mark, state="ended")
            raise
        return program

    def _began(self, program: Started) -> None:
        self._record.change_process(
            program.what.mark, state="running", pid=program.pid, start_ticks=program.start_ticks
        )


async def _switched(program: Started, action: RunCommand) -> ArmFailed | None:
    what = program.what
    until = time.monotonic() + action.limit_s
    while program.code is None:
        if time.monotonic() > until:
            message = f"{what.shown} did not end within {format_duration(action.limit_s)}"
            return ArmFailed(message, hint=f"what it said: {what.log}; wait_s: in the arm allows more time")
        await asyncio.sleep(_LOOK_S)
    if program.code != 0:
        return ArmFailed(f"{what.shown} failed: {program.ended}", hint=f"all that it said: {what.log}")
    return None


async def end_entry(entry: ProcessEntry, settings: HoldSettings) -> str:
    """End all processes of an entry; return what has to be said of it. Raises ArmFailed when one does not end."""
    left, killed = await end_all(entry.mine, terminate_s=settings.terminate_s, kill_s=settings.kill_s)
    if left:
        which = ", ".join(f"pid {one.pid} ({one.name})" for one in left)
        message = f"{which}, started for arm {entry.arm}, cannot be ended"
        raise ArmFailed(message, hint="a process that waits for a device ends with the device, or at a reboot")
    if killed:
        waited = format_duration(settings.terminate_s)
        return f"what was started for arm {entry.arm} did not end within {waited} of being asked, and was killed"
    return ""

"""Wait until a stopped service is gone from its node and its memory is back: measured, and who holds it is named.

What is waited for: none of its processes runs, no engine is left over, nobody listens at its port, and as much memory
is available as before the service was first started - or, where nobody looked before that, no more comes back.
Source: proc_meminfo(5) (MemAvailable), proc_pid_status(5) (RssAnon, RssShmem).
"""

__all__ = ["MemoryWatch"]

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sparktune.errors import ArmFailed
from sparktune.host.service.facts import NodeProcess, ServiceFacts, service_facts, service_reads
from sparktune.host.service.leftovers import Around, Leftover, engine_like, gpu_memory, leftovers
from sparktune.host.service.sockets import TABLES, listening_sockets
from sparktune.io.cluster import NodeTarget
from sparktune.io.http.address import parse_address
from sparktune.io.launching.memory import Returning
from sparktune.io.launching.record import Record
from sparktune.io.launching.settings import HoldSettings
from sparktune.io.launching.words import Words
from sparktune.io.transport.session import NodeSession
from sparktune.model.arm_action import AwaitMemory, ServiceProcess
from sparktune.model.reads import Read, ReadCommand, ReadFile, ReadFiles, Readings, ReadLinks
from sparktune.units import Bytes, Seconds, format_bytes, format_duration

_LOOK_S: Final[Seconds] = 0.5
_MEMINFO: Final = "/proc/meminfo"
_STATUS: Final = "/proc/[0-9]*/status"
_FDS: Final = "/proc/[0-9]*/fd/*"
_GPU: Final = ("nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits")
_RUNNING: Final = ("docker", "ps", "-q", "--no-trunc")
_TABLES: Final = tuple(f"/proc/net/{table}" for table in TABLES)
_AVAILABLE: Final = re.compile(r"^MemAvailable:\s+(\d+) kB", re.MULTILINE)
_RESIDENT: Final = re.compile(r"^Rss(?:Anon|Shmem):\s+(\d+) kB", re.MULTILINE)
_MOST_NAMED: Final = 3
_LARGE_BYTES: Final[Bytes] = 1 << 30
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What was seen at once; ``available`` None where the node does not tell."""

    available: Bytes | None
    engines: tuple[NodeProcess, ...]
    left: tuple[Leftover, ...]
    resident: dict[int, Bytes]
    gpu: dict[int, Bytes | None]
    facts: ServiceFacts

    def told(self, one: NodeProcess, words: Words) -> str:
        """Name a process: number, command, memory."""
        size = self.gpu.get(one.pid) or self.resident.get(one.pid)
        held = f", {format_bytes(size)}" if size else ", memory unknown"
        return f"pid {one.pid} ({words.line(one.argv[:4]) if one.argv else one.name}{held})"


class MemoryWatch:
    """The memory of each node before its service was first started, and how it comes back."""

    def __init__(self, settings: HoldSettings, words: Words, record: Record, notes: list[str]) -> None:
        """Look at nothing yet."""
        self._settings, self._words, self._record, self._notes = settings, words, record, notes
        self._address = parse_address(settings.base_url).target

    async def remember(self, node: str) -> None:
        """Keep what there is before the first start, unless it is known of this boot. Raises NodeError."""
        target = self._settings.target(node)
        async with NodeSession(target) as session:
            boot = (await session.hello()).boot_id
            if self._record.memory.get(node, {}).get("boot") != boot:
                self._keep(node, boot, await self._look(session, target, ServiceProcess(node=node)))

    async def wait_back(self, action: AwaitMemory) -> None:
        """Wait until the service is gone and its memory is back. Raises ArmFailed with who holds it, NodeError."""
        service = action.service
        target = self._settings.target(service.node)
        async with NodeSession(target) as session:
            boot = (await session.hello()).boot_id
            kept = self._record.memory.get(service.node, {})
            before = kept.get("available_bytes") if kept.get("boot") == boot else None
            returning = Returning(before, self._settings.memory_slack_bytes, time.monotonic())
            while True:
                look = await self._look(session, target, service)
                if look.facts.unknown:
                    raise _unseen(target, look.facts.unknown)
                now_s = time.monotonic()
                if not look.left and self._enough(look, returning, now_s):
                    break
                if now_s - returning.began_s > action.limit_s:
                    raise self._not_back(target, look, returning, now_s)
                await asyncio.sleep(_LOOK_S)
            if before is None:
                self._keep(service.node, boot, look)

    def _enough(self, look: _Look, returning: Returning, now_s: Seconds) -> bool:
        if look.available is None:
            note = "how much memory is available is not known there: only processes were waited for"
            if note not in self._notes:
                self._notes.append(note)
            return True
        returning.saw(look.available, now_s)
        return returning.back or (not returning.known and returning.still(now_s, self._settings.memory_still_s))

    def _keep(self, node: str, boot: str, look: _Look) -> None:
        known = [[one.pid, one.start_ticks] for one in look.engines]
        self._record.memory[node] = {"boot": boot, "available_bytes": look.available, "known": known}
        self._record.save()

    async def _look(self, session: NodeSession, target: NodeTarget, service: ServiceProcess) -> _Look:
        readings = await session.observe([*service_reads(service), *_READS])
        facts = service_facts(service, readings)
        said = readings.command(*_GPU).value
        gpu = gpu_memory(said.stdout) if said is not None and said.code == 0 else {}
        ids = readings.command(*_RUNNING).value
        known = self._record.memory.get(service.node, {}).get("known", ())
        around = Around(
            gpu=gpu,
            running=ids.stdout.split() if ids is not None else (),
            listening=await self._listening(session, target, readings),
            known={(pid, ticks) for pid, ticks in known},
        )
        found = _AVAILABLE.search(readings.file(_MEMINFO).value or "")
        return _Look(
            available=int(found[1]) * 1024 if found else None,
            engines=engine_like((*facts.processes, *facts.others), gpu),
            left=leftovers(facts, around),
            resident=_resident(readings),
            gpu=gpu,
            facts=facts,
        )

    async def _listening(self, session: NodeSession, target: NodeTarget, readings: Readings) -> set[int]:
        """Return who listens at the service's port on the node where that is; looked for only when somebody does."""
        host = self._address.host
        here = target.host is None and host in _LOOPBACK
        if not here and host not in {target.name, (target.host or "").rpartition("@")[2]}:
            return set()
        port = self._address.port
        tables = [listening_sockets(readings.file(table).value or "") for table in _TABLES]
        sockets = {name for table in tables for name, at in table.items() if at == port}
        if not sockets:
            return set()
        links = (await session.observe([ReadLinks(pattern=_FDS)])).links.get(_FDS, {})
        return {int(path.split("/")[2]) for path, where in links.items() if where in sockets}

    def _not_back(self, target: NodeTarget, look: _Look, returning: Returning, now_s: Seconds) -> ArmFailed:
        told = [f"{look.told(one.process, self._words)}: {one.why}" for one in look.left[:_MOST_NAMED]]
        if len(look.left) > _MOST_NAMED:
            told.append(f"and {len(look.left) - _MOST_NAMED} more")
        if not look.left or (look.available is not None and returning.known and not returning.back):
            told.insert(0, returning.missing(now_s))
            told += [f"much is held by {text}" for text in self._largest(look)]
        waited = format_duration(now_s - returning.began_s)
        message = f"{target.name}: the service is not gone {waited} after it was stopped: {'; '.join(told)}"
        pids = " ".join(str(one.process.pid) for one in look.left)
        hint = (
            f"see what they are: ps -fp {pids.replace(' ', ',')}" if pids else "see what holds it: docker ps, free -h"
        )
        return ArmFailed(message, hint=f"{hint}; nothing was killed that is not the service's own")

    def _largest(self, look: _Look) -> list[str]:
        left = {one.process.pid for one in look.left}
        sizes = {pid: max(look.gpu.get(pid) or 0, size) for pid, size in look.resident.items()}
        every = (*look.facts.processes, *look.facts.others)
        large = [one for one in every if one.pid not in left and sizes.get(one.pid, 0) > _LARGE_BYTES]
        ordered = sorted(large, key=lambda one: -sizes[one.pid])
        return [look.told(one, self._words) for one in ordered[:_MOST_NAMED]]


_READS: Final[Sequence[Read]] = (
    ReadFile(path=_MEMINFO),
    ReadFiles(pattern=_STATUS, lines=("RssAnon:", "RssShmem:")),
    *(ReadFile(path=table, most_bytes=4 << 20) for table in _TABLES),
    ReadCommand(argv=_GPU),
    ReadCommand(argv=_RUNNING),
)


def _resident(readings: Readings) -> dict[int, Bytes]:
    return {
        int(path.split("/")[2]): sum(int(size) * 1024 for size in _RESIDENT.findall(text.value or ""))
        for path, text in readings.matching(_STATUS).items()
    }


def _unseen(target: NodeTarget, why: str) -> ArmFailed:
    message = f"{target.name}: whether the service is gone cannot be seen: {why}"
    return ArmFailed(message, hint="does docker ps (or systemctl) work there for this user, or with sudo -n?")

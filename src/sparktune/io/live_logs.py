"""Logs of what runs on nodes, or ran last: of containers that are engines, or of the parts of a service. Read only.

A start that failed leaves a stopped container, so that the newest stopped one is read where none runs. Docker keeps
what was written to standard output and to standard error apart; their stamps put them in order again.
"""

__all__ = ["LivePart", "NodeLogs", "read_node_logs"]

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import msgspec

from sparktune.errors import HostError, NodeError
from sparktune.host.service.containers import containers_seen
from sparktune.host.service.facts import ServiceFacts, service_facts, service_reads
from sparktune.host.service.state import Judgement, judge, parts_of
from sparktune.io.cluster import NodeTarget
from sparktune.io.drift.layout import layout_of
from sparktune.io.launching.sight import in_rounds
from sparktune.io.transport.fanout import ask_all
from sparktune.io.transport.session import NodeSession
from sparktune.logs.scan import LogScan
from sparktune.model.arm_action import ServiceProcess
from sparktune.model.log import ReadLog
from sparktune.model.reads import CommandOutput, ReadCommand, Readings
from sparktune.units import NS_PER_S, Bytes, Seconds

_INSPECT: Final = ("docker", "inspect")
_ALL: Final = ("docker", "ps", "-aq", "--no-trunc")
_ENGINE: Final = re.compile(r"vllm|sglang|llama|trtllm|tensorrt.?llm|sparkrun", re.IGNORECASE)
_MOST_BYTES: Final[Bytes] = 48 << 20
_MOST_INSPECTED: Final[Bytes] = 8 << 20
_MOST_LOGS: Final = 4
_READ_S: Final[Seconds] = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LivePart:
    """What a node has of one service, or of one container that is an engine."""

    service: ServiceProcess
    facts: ServiceFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLogs:
    """``ahead_s`` is how far the node's clock is ahead of this machine's. ``missing`` says what could not be read."""

    node: str
    logs: tuple[ReadLog, ...] = ()
    parts: tuple[LivePart, ...] = ()
    ahead_s: Seconds | None = None
    missing: tuple[str, ...] = ()

    @staticmethod
    def judged(nodes: Sequence["NodeLogs"]) -> Judgement | None:
        """Say what state all parts are in together, None without any."""
        parts = [part for one in nodes for part in one.parts]
        if not parts:
            return None
        return judge(parts_of([one.service for one in parts], [one.facts for one in parts]), time.time())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """A log that a node can show."""

    name: str
    argv: tuple[str, ...]


async def read_node_logs(
    targets: Sequence[NodeTarget], tail: int, where: Sequence[Mapping[str, Any]] = (), launcher: str = ""
) -> tuple[NodeLogs, ...]:
    """Read the logs of every node, of the parts ``where`` of a service or of all engines; the last ``tail`` lines.

    What is wrong with a node is in its answer. Raises UsageError for a host name that is an option.
    """

    async def ask(node: NodeSession) -> NodeLogs:
        ahead_s = await _ahead_s(node)
        parts, missing = await (_service(node, where, launcher) if where else _engines(node))
        return await _logs(node, parts, missing, ahead_s, tail)

    answers = await ask_all(targets, ask, per_node_timeout=_READ_S)
    return tuple(
        NodeLogs(node=target.name, missing=(f"{target.name}: {str(answer).removeprefix(f'{target.name}: ')}",))
        if isinstance(answer, (NodeError, HostError))
        else answer
        for target, answer in zip(targets, answers, strict=True)
    )


async def _ahead_s(node: NodeSession) -> Seconds:
    """Return how far a node's clock is ahead; the first question carries the agent, the second is quick."""
    await node.hello()
    before = time.time()
    said = await node.hello()
    return said.wall_ns / NS_PER_S - (before + time.time()) / 2


async def _logs(
    node: NodeSession, parts: Sequence[LivePart], missing: Sequence[str], ahead_s: Seconds, tail: int
) -> NodeLogs:
    name = node.target.name
    sources = [source for part in parts for source in _sources(part.facts, tail)]
    reads = [ReadCommand(argv=one.argv, limit_s=_READ_S / 2, most_bytes=_MOST_BYTES) for one in sources]
    readings = await node.observe(reads) if reads else Readings()
    logs: list[ReadLog] = []
    unread = list(missing)
    for source in sources:
        said = readings.command(*source.argv)
        if said.value is None or said.value.code:
            why = said.why or (said.value.stderr.strip()[-200:] if said.value else "there is no such command")
            unread.append(f"{name}: {source.name} cannot be read: {why}")
            continue
        text = _merged(said.value)
        if not text.strip():
            unread.append(f"{name}: {source.name} is empty")
            continue
        scan = LogScan(source.name, name, reference_s=time.time() + ahead_s)
        scan.feed(text.encode("utf-8", "surrogatepass"))
        logs.append(scan.result())
    return NodeLogs(node=name, logs=tuple(logs), parts=tuple(parts), ahead_s=ahead_s, missing=tuple(unread))


def _sources(facts: ServiceFacts, tail: int) -> Iterator[_Source]:
    running = [one for one in facts.containers if one.running]
    newest = sorted(facts.containers, key=lambda one: one.started_at, reverse=True)[:1]
    for one in running or newest:
        yield _Source(name=f"docker logs {one.name}", argv=("docker", "logs", "--timestamps", f"--tail={tail}", one.id))
    if facts.unit is not None:
        argv = (
            "journalctl",
            "--no-pager",
            "--quiet",
            "--output=short-iso",
            f"--lines={tail}",
            f"--unit={facts.unit.name}",
        )
        yield _Source(name=f"journal of {facts.unit.name}", argv=argv)


def _merged(said: CommandOutput) -> str:
    """Return both streams of a container by the stamp in front of each line, which docker writes at one width."""
    if not said.stderr or not said.stdout:
        return said.stdout or said.stderr
    return "\n".join(sorted((*said.stdout.splitlines(), *said.stderr.splitlines()), key=lambda line: line[:30]))


async def _service(
    node: NodeSession, where: Sequence[Mapping[str, Any]], launcher: str
) -> tuple[list[LivePart], list[str]]:
    """Return the parts of a service on this node, and what could not be seen of them."""
    name, layout = node.target.name, layout_of(launcher)
    parts: list[LivePart] = []
    missing: list[str] = []
    for one in where:
        if name not in {str(one.get("node") or name), *map(str, one.get("nodes") or ())}:
            continue
        readings = Readings()
        try:
            async for seen in in_rounds(node, partial(layout.reads, one)):
                readings = seen
            processes = layout.found(one, readings).processes
        except ValueError as error:
            missing.append(f"{name}: {str(error).removeprefix(f'{name}: ')}")
            continue
        for service in processes:
            if service.node in {"", name} and (service.labels or service.unit):
                facts = service_facts(service, await node.observe(service_reads(service)))
                parts.append(LivePart(service=service, facts=facts))
                if facts.unknown:
                    missing.append(f"{name}: {facts.unknown}")
    if not parts and not missing:
        missing.append(f"{name}: launcher {launcher or 'attach'} does not tell which container or unit the service is")
    return parts, missing


class _Config(msgspec.Struct, rename="pascal"):
    image: str = ""


class _Started(msgspec.Struct, rename="pascal"):
    id: str
    name: str = ""
    path: str = ""
    args: list[str] | None = None
    config: _Config = msgspec.field(default_factory=_Config)


async def _engines(node: NodeSession) -> tuple[list[LivePart], list[str]]:
    """Return the containers of a node that are engines: those that run, else the one that ended last."""
    read = ReadCommand(argv=_INSPECT, arguments_from=_ALL, most_bytes=_MOST_INSPECTED)
    said = (await node.observe([read])).command(*_INSPECT)
    unknown: list[str] = []
    ids = _engine_ids(said.value.stdout) if said.value is not None else set()
    found = [one for one in containers_seen(said, unknown) if one.id in ids]
    running = [one for one in found if one.running]
    ended = sorted(found, key=lambda one: max(one.finished_at, one.started_at), reverse=True)[:1]
    name = node.target.name
    if not found and not unknown:
        unknown.append("no container here is an engine; name the service with --service, or the file of its log")
    parts = [
        LivePart(service=ServiceProcess(node=name), facts=ServiceFacts(node=name, containers=(one,)))
        for one in (running or ended)[:_MOST_LOGS]
    ]
    if len(running) > _MOST_LOGS:
        unknown.append(f"{len(running)} engines run, and the logs of {_MOST_LOGS} were read")
    return parts, [f"{name}: {text}" for text in unknown]


def _engine_ids(text: str) -> set[str]:
    try:
        started = msgspec.json.decode(text.strip() or "[]", type=list[_Started])
    except (msgspec.DecodeError, RecursionError):
        return set()  # the reader of containers says why
    return {
        one.id for one in started if _ENGINE.search(" ".join((one.name, one.config.image, one.path, *(one.args or ()))))
    }

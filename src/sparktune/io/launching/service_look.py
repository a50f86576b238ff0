"""Look at a service on its node: its containers, its unit, its processes, and which of them serves."""

__all__ = ["Serves", "container_of", "ended_words", "ids_of", "look_at_service", "not_one", "serves", "serves_at"]

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sparktune.errors import ArmFailed
from sparktune.host.service.containers import ServiceContainer, ps_command
from sparktune.host.service.facts import NodeProcess, ServiceFacts, descendants, service_facts, service_reads
from sparktune.host.service.serving import Serving, servers_of, serving_process
from sparktune.host.service.sockets import TABLES, listening_sockets
from sparktune.io.transport.readable import ReadableNode
from sparktune.model.arm_action import ServiceProcess
from sparktune.model.observed import Observed, absent
from sparktune.model.reads import Read, ReadCommand, ReadFile, ReadFiles, Readings, ReadLinks

_SOCKETS: Final = "/proc/[0-9]*/fd/*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Serves:
    """The serving process of a service and what was read of it.

    ``environment`` are its wanted variables, by NUL-ended entries; ``allowed`` the CPU list of each thread of each
    process that is no shell and does not only wait, by "PID/TID (NAME)".
    """

    facts: ServiceFacts
    serving: Serving
    environment: Observed[str] = absent()
    allowed: Mapping[str, str] = field(default_factory=dict)


async def ids_of(node: ReadableNode, service: ServiceProcess) -> tuple[str, ...]:
    """Return the ids of a service's running containers. Raises ArmFailed when they cannot be seen, NodeError."""
    listing = ps_command(service.labels, stopped=False)
    said = (await node.observe([ReadCommand(argv=listing)])).command(*listing)
    if said.value is None or said.value.code:
        why = said.why or (said.value.stderr.strip() if said.value else "there is no docker")
        message = f"{node.target.name}: the containers of the service cannot be seen: {why}"
        raise ArmFailed(message, hint="does docker ps work there for this user, or with sudo -n?")
    return tuple(said.value.stdout.split())


async def look_at_service(node: ReadableNode, service: ServiceProcess) -> ServiceFacts:
    """Return what the node has of a service. Raises NodeError."""
    return service_facts(service, await node.observe(service_reads(service)))


async def serves(node: ReadableNode, service: ServiceProcess, port: int, names: Collection[str]) -> Serves:
    """Find the serving process and read it; of its variables those of these names. Raises NodeError."""
    return await _served(node, await look_at_service(node, service), port, names)


async def serves_at(node: ReadableNode, port: int, names: Collection[str]) -> Serves:
    """Find what listens at a port of the node, whatever started it, and read it like a service. Raises NodeError."""
    tables = [ReadFile(path=f"/proc/net/{table}", most_bytes=4 << 20) for table in TABLES]
    own = ServiceProcess(node="")
    readings = await node.observe([*service_reads(own), *tables, ReadLinks(pattern=_SOCKETS)])
    facts = service_facts(own, readings)
    at = {
        link
        for table in tables
        for link, number in listening_sockets(readings.file(table.path).value or "").items()
        if number == port
    }
    links = readings.links.get(_SOCKETS, {})
    found = {int(path.split("/")[2]) for path, link in links.items() if link in at}
    mine = descendants(found, facts.others)
    facts = replace(
        facts,
        processes=tuple(one for one in facts.others if one.pid in mine),
        others=tuple(one for one in facts.others if one.pid not in mine),
        unknown="" if found else _nobody(port, closed=bool(at)),
    )
    return await _served(node, facts, port, names)


def _nobody(port: int, *, closed: bool) -> str:
    if closed:
        return f"somebody else's process listens at port {port}, and only root sees whose it is"
    return f"nothing listens at port {port} of this node"


async def _served(node: ReadableNode, facts: ServiceFacts, port: int, names: Collection[str]) -> Serves:
    servers = servers_of(facts.processes)
    if not servers:
        return Serves(facts=facts, serving=serving_process(facts.processes, port, {}))
    readings = await node.observe([read for one in servers for read in _reads(one, names)])
    inside = next((one.ports[port] for one in facts.containers if port in one.ports), port)
    serving = serving_process(facts.processes, inside, _listening(servers, readings))
    if serving.process is None:
        return Serves(facts=facts, serving=serving)
    path = f"/proc/{serving.process.pid}/environ"
    environment = readings.matching(path).get(path, absent())
    if environment.value is None and names:
        environment = await _from_inside(node, facts, serving.process, readings) or environment
    return Serves(facts=facts, serving=serving, environment=environment, allowed=_allowed(servers, readings))


def container_of(seen: Serves) -> ServiceContainer | None:
    """Return the container that the serving process is in, else one that runs."""
    process = seen.serving.process
    running = [one for one in seen.facts.containers if one.running]
    inside = [one for one in running if process is not None and one.id in process.groups]
    return next(iter(inside or running), None)


def not_one(facts: ServiceFacts) -> str:
    """Say why there is not one service to read, "" when there is."""
    if facts.unknown:
        return facts.unknown
    running = [one for one in facts.containers if one.running]
    if len(running) > 1:
        return f"{len(running)} containers have its labels: {', '.join(one.name for one in running)}"
    if facts.unit is not None and not facts.unit.loaded:
        return f"there is no unit {facts.unit.name}"
    return ""


def ended_words(facts: ServiceFacts) -> str:
    """Say how containers or the unit ended, "" where nothing did."""
    told = [
        f"container {one.name} {one.status}" + (f" with exit code {one.exit_code}" if one.exit_code is not None else "")
        for one in facts.containers
        if not one.running
    ]
    if facts.unit is not None and facts.unit.loaded and not facts.unit.main_pid:
        told.append(f"unit {facts.unit.name} is {facts.unit.active} ({facts.unit.sub}), result {facts.unit.result}")
    return f" ({'; '.join(told)})" if told else ""


def _reads(process: NodeProcess, names: Collection[str]) -> tuple[Read, ...]:
    folder = f"/proc/{process.pid}"
    variables = tuple(f"{name}=" for name in names)
    return (
        # Whatever else a process was given, secrets among it, stays on its node.
        *((ReadFiles(pattern=f"{folder}/environ", lines=variables, most_bytes=1 << 20),) if variables else ()),
        ReadLinks(pattern=f"{folder}/fd/*"),
        *(ReadFile(path=f"{folder}/net/{table}", most_bytes=4 << 20) for table in TABLES),
        ReadFiles(pattern=f"{folder}/task/*/status", lines=("Name:", "NSpid:", "Cpus_allowed_list:")),
    )


def _listening(servers: Sequence[NodeProcess], readings: Readings) -> dict[int, Collection[int]]:
    """Return the ports at which each process listens."""
    found: dict[int, Collection[int]] = {}
    for one in servers:
        tables = [listening_sockets(readings.file(f"/proc/{one.pid}/net/{table}").value or "") for table in TABLES]
        links = readings.links.get(f"/proc/{one.pid}/fd/*", {}).values()
        found[one.pid] = {table[link] for table in tables for link in links if link in table}
    return found


def _allowed(servers: Sequence[NodeProcess], readings: Readings) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in servers:
        for path, text in readings.matching(f"/proc/{one.pid}/task/*/status").items():
            values = _status(text.value or "")
            if "Cpus_allowed_list" in values:
                thread = path.split("/")[4]
                found[f"{one.pid}/{thread} ({values.get('Name', '?')})"] = values["Cpus_allowed_list"]
    return found


async def _from_inside(
    node: ReadableNode, facts: ServiceFacts, process: NodeProcess, readings: Readings
) -> Observed[str] | None:
    """Ask the container, where this user may not look into its processes from outside; None when it does not tell."""
    container = next((one for one in facts.containers if one.id in process.groups), None)
    status = readings.matching(f"/proc/{process.pid}/task/*/status").get(
        f"/proc/{process.pid}/task/{process.pid}/status"
    )
    numbers = _status((status.value if status else "") or "").get("NSpid", "").split()
    if container is None or not numbers:
        return None
    argv = ("docker", "exec", container.id, "cat", f"/proc/{numbers[-1]}/environ")
    said = (await node.observe([ReadCommand(argv=argv)])).command(*argv)
    if said.value is None or said.value.code or not said.value.stdout:
        return None
    return said.map(lambda output: output.stdout)


def _status(text: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in text.splitlines())
    return {name: value.strip() for name, sign, value in pairs if sign}

"""Read all parts of a service at once: a node that does not answer is a part of which nothing could be read.

Files first, since they say how the processes are known and which variables matter; then the processes, the log and the
answers; then whatever aspects ask of a part whose process is known.
"""

__all__ = ["DriftTargets", "read_parts"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sparktune.drift.aspects import ROUNDS, wanted_reads
from sparktune.drift.live_layer import live_layer
from sparktune.drift.wanted_variables import wanted_variables
from sparktune.errors import NodeError
from sparktune.io.cluster import NodeTarget, target_among
from sparktune.io.drift.answers import read_answers
from sparktune.io.drift.boot_log import read_boot_log
from sparktune.io.drift.file_layer import FileLayer, file_layer
from sparktune.io.drift.layout import EXTRA_KEYS, Found, Layout, layout_of
from sparktune.io.drift.process_layer import process_layer, started_ns
from sparktune.io.http.address import parse_address
from sparktune.io.launching.service_look import Serves, container_of, serves, serves_at
from sparktune.io.launching.sight import in_rounds
from sparktune.io.secrets import Secret
from sparktune.io.together import together
from sparktune.io.transport.readable import ReadableNode
from sparktune.io.transport.shared import SharedNodes
from sparktune.model.arm_action import ServiceProcess
from sparktune.model.drift import PartSeen, ServicePlace
from sparktune.model.reads import Read, Readings
from sparktune.model.setting import Setting

_LAYERS = ("file", "echoed", "live", "environ")


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftTargets:
    """The way to nodes, by the names that ``where`` uses; "" is this machine. ``api_key`` is for the endpoint."""

    nodes: Mapping[str, NodeTarget] = field(default_factory=dict)
    api_key: Secret | None = None

    def of(self, name: str) -> NodeTarget:
        """Return the way to a node. Raises UsageError for one that nobody named."""
        return target_among(self.nodes, name, "the service has a part on")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Set:
    """A part as its files set it."""

    where: Mapping[str, Any]
    found: Found
    layer: FileLayer
    failure: str = ""


async def read_parts(
    place: ServicePlace, targets: DriftTargets, nodes: SharedNodes, earned: Sequence[Setting] = ()
) -> tuple[PartSeen, ...]:
    """Return every part of a service, in their order; of ``earned`` settings the variables are asked for.

    All of it is asked over ``nodes``, beside whatever else is asked there.

    Raises UsageError for a node that nobody named, and for an address that is none. Whatever cannot be read is said in
    the part.
    """
    layout = layout_of(place.launcher)
    wheres = place.where or ({},)
    ways = [nodes.of(targets.of(str(where.get("node") or ""))) for where in wheres]
    port = parse_address(place.endpoint).target.port if place.endpoint else 0
    sets = await together(*(_files(layout, where, way) for where, way in zip(wheres, ways, strict=True)))
    names = wanted_variables(earned, *(one.layer.settings for one in sets))
    readers = [
        _part(_Reader(place=place, part=one, process=process, names=names, port=port), targets, nodes, layout)
        for one in sets
        for process in one.found.processes or (None,)
    ]
    return await together(*readers)


async def _files(layout: Layout, where: Mapping[str, Any], node: ReadableNode) -> _Set:
    bare = {key: value for key, value in where.items() if key not in EXTRA_KEYS}
    readings = Readings()
    try:
        async for seen in in_rounds(node, lambda seen: layout.reads(bare, seen)):
            readings = seen
        found = layout.found(bare, readings)
    except NodeError as error:
        return _Set(where=where, found=Found(), layer=FileLayer(unread=str(error)), failure=str(error))
    except ValueError as error:
        return _Set(where=where, found=_as_far(layout, bare, readings), layer=FileLayer(unread=str(error)))
    return _Set(where=where, found=found, layer=file_layer(found, readings))


def _as_far(layout: Layout, where: Mapping[str, Any], readings: Readings) -> Found:
    """Return how the processes are known, also where the files cannot all be read."""
    try:
        return layout.found(where, readings)
    except ValueError:
        return Found()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    """What is needed to read one part's process; ``process`` None is whatever listens at ``port``."""

    place: ServicePlace
    part: _Set
    process: ServiceProcess | None
    names: tuple[str, ...]
    port: int

    async def look(self, node: ReadableNode) -> Serves | None:
        """Return what serves, None where there is no way to know it."""
        if self.process is not None:
            return await serves(node, self.process, self.port, self.names)
        return await serves_at(node, self.port, self.names) if self.port else None


async def _part(reader: _Reader, targets: DriftTargets, nodes: SharedNodes, layout: Layout) -> PartSeen:
    named = reader.process.node if reader.process is not None else str(reader.part.where.get("node") or "")
    target = targets.of(named)
    layer = reader.part.layer
    part = PartSeen(
        node=target.name,
        name=layout.parts(reader.part.where),
        where=reader.part.where,
        engine=layer.engine,
        files=layer.files,
        file=layer.settings,
        unread={"file": layer.unread} if layer.unread else {},
        image_name=layer.image,
    )
    if reader.part.failure:
        return replace(part, unread=dict.fromkeys(_LAYERS, reader.part.failure))
    try:
        return await _live(nodes.of(target), part, reader, targets.api_key)
    except NodeError as error:
        return replace(part, unread={**dict.fromkeys(_LAYERS[1:], str(error)), **part.unread})


async def _live(node: ReadableNode, part: PartSeen, reader: _Reader, api_key: Secret | None) -> PartSeen:
    seen = await reader.look(node)
    if seen is None:
        why = "its process is not known: give the endpoint at which it listens, or its launcher and where"
        return await _asked_by_aspects(node, replace(part, unread={**part.unread, "live": why, "environ": why}))
    layer = process_layer(seen, part.node, part.image_name, part.engine)
    process, container = seen.serving.process, container_of(seen)
    start_ns = await started_ns(node, seen)
    unread = {"live": layer.unread, "environ": layer.unread or layer.no_variables}
    unit = reader.part.found.unit
    echo, unread["echoed"] = await read_boot_log(node, reader.part.where, unit, seen, start_ns)
    answers: tuple[Setting, ...] = ()
    if reader.place.endpoint and seen.serving.how.startswith("listens") and not layer.unread:
        answers = await read_answers(reader.place.endpoint, api_key, part.node)
    return await _asked_by_aspects(
        node,
        replace(
            part,
            engine=layer.engine or echo.engine or part.engine,
            echoed={one.key: one for one in echo.asked},
            asked=layer.settings,
            live=live_layer(layer.settings, (*echo.resolved, *answers)),
            unread={**{key: why for key, why in unread.items() if why}, **part.unread},
            pid=process.pid if process is not None and not layer.unread else 0,
            pids=tuple(one.pid for one in seen.facts.processes),
            start_ns=start_ns,
            container=container.id if container is not None else "",
            image=container.image if container is not None else "",
        ),
    )


async def _asked_by_aspects(node: ReadableNode, part: PartSeen) -> PartSeen:
    readings = Readings()

    def wanted(seen: Readings | None) -> tuple[Read, ...]:
        return wanted_reads(replace(part, readings=seen or Readings()))

    async for seen in in_rounds(node, wanted, rounds=ROUNDS):
        readings = seen
    return replace(part, readings=readings)

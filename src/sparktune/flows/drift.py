"""``drift``: whether what was earned is what files say and what runs. Nothing is changed."""

__all__ = ["DriftWish", "drift_exit", "drift_rows", "observe_drift", "watch_drift"]

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sparktune.deploy.settings.earned import earned_settings
from sparktune.deploy.settings.grammars import all_grammars
from sparktune.drift.aspects import all_aspects
from sparktune.drift.earned_scope import entries_for
from sparktune.errors import ExitCode
from sparktune.flows.doctor import facts_all
from sparktune.flows.host.verify import status_all
from sparktune.flows.look import Look, looking
from sparktune.flows.one_host import second_names
from sparktune.io.cluster import NodeTarget
from sparktune.io.drift.service import DriftTargets, read_parts
from sparktune.model.drift import DriftRow, DriftStatus, DriftView, ServicePlace
from sparktune.model.setting import Setting
from sparktune.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftWish:
    """What is to be looked at: a service, the way to its nodes, what was earned anywhere, and the nodes themselves.

    ``cluster`` are the names by which an entry may mean this cluster; ``nodes`` those whose facts are compared.
    """

    place: ServicePlace
    targets: DriftTargets
    nodes: tuple[NodeTarget, ...] = ()
    earned: Sequence[Mapping[str, Any]] = ()
    earned_file: str = ""
    cluster: tuple[str, ...] = field(default=())


async def observe_drift(wish: DriftWish, look: Look | None = None) -> DriftView:
    """Read the service and all nodes at once, each node over one agent.

    What cannot be read is said in its place; raises UsageError. In a ``look`` that goes on nothing is read again that
    was read in it.
    """
    entries = entries_for(wish.earned, wish.place, cluster=wish.cluster)
    try:
        async with looking(look) as shared, asyncio.TaskGroup() as group:
            parts = group.create_task(read_parts(wish.place, wish.targets, shared, _settings(entries)))
            facts = group.create_task(facts_all(wish.nodes, shared))
            hosts = group.create_task(status_all(wish.nodes, shared))
    except ExceptionGroup as errors:  # a word that is wrong, found by any of them
        raise errors.exceptions[0] from None
    # Only now: nobody was asked first who is who, which would keep all that is read waiting for a node that is off.
    return DriftView(
        service=wish.place,
        parts=parts.result(),
        nodes=facts.result(),
        hosts=hosts.result().reports,
        earned=entries,
        earned_file=wish.earned_file,
        notes=second_names(wish.nodes, shared.met),
    )


def drift_rows(view: DriftView) -> tuple[DriftRow, ...]:
    """Return the rows of all aspects, settings first."""
    aspects = sorted(all_aspects(), key=lambda one: one.id != "settings")
    return tuple(row for aspect in aspects for row in aspect.rows(view))


def drift_exit(rows: Sequence[DriftRow]) -> ExitCode:
    """DIFFERENCES when anything has drifted; FAILED when nothing has, but something could not be read."""
    if any(status.is_drift for row in rows for status in (row.status, *row.also)):
        return ExitCode.DIFFERENCES
    unreadable = any(row.status is DriftStatus.UNREADABLE for row in rows)
    return ExitCode.FAILED if unreadable else ExitCode.DONE


async def watch_drift(
    observe: Callable[[], Awaitable[DriftView]], every_s: Seconds, sleep: Callable[[Seconds], Awaitable[object]]
) -> AsyncIterator[tuple[DriftRow, ...]]:
    """Yield the rows now, and again whenever they say something else than before; never ends by itself."""
    before: tuple[DriftRow, ...] | None = None
    while True:
        rows = drift_rows(await observe())
        if before is None or _told(rows) != _told(before):
            yield rows
        before = rows
        await sleep(every_s)


def _told(rows: Sequence[DriftRow]) -> list[tuple[object, ...]]:
    """Return what makes rows another finding; a process id is none."""
    found: list[tuple[object, ...]] = []
    for row in rows:
        layers = [None if one is None else (one.state, one.text) for one in (row.earned, row.file, row.live)]
        found.append((row.key, row.node, row.part, row.status, row.also, *layers))
    return found


def _settings(entries: Sequence[Mapping[str, Any]]) -> tuple[Setting, ...]:
    """Return all that was earned, for the names of its variables: they are the same in every engine's words."""
    return tuple(one for grammar in all_grammars()[:1] for one in earned_settings(entries, grammar, ""))

"""What a sweep is asked to do, for which engine, and its plan as ``--dry-run`` shows it, also without its nodes."""

__all__ = ["Wanted", "engine_of", "plan_shown", "wanted_of"]

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparktune.cli._ab.run import declared_of
from sparktune.cli._ab.world import World
from sparktune.cli._sweep.flags import SweepFlags, sweep_values
from sparktune.deploy.arm_planner import ArmPlanner
from sparktune.deploy.launchers import all_launchers
from sparktune.deploy.launchers._shared import argv_of
from sparktune.deploy.settings.grammars import all_grammars
from sparktune.deploy.sweep_arms import SWEPT
from sparktune.deploy.sweep_now import engine_of_words
from sparktune.errors import EndpointError, NodeError, UsageError
from sparktune.experiment.design import Arm
from sparktune.experiment.plan import Experiment
from sparktune.flows.sweep.ground import shared_memory
from sparktune.flows.sweep.plan import Asked, cost_lines, planned, planned_unseen
from sparktune.flows.sweep.predict import foretold
from sparktune.io.http.server import Server
from sparktune.io.store.store import Store
from sparktune.io.sweep_file import SweepRequest, sweep_request
from sparktune.model.sweep import Candidate
from sparktune.model.sweep_record import SweepRecord
from sparktune.report.sweep.text import plan_text
from sparktune.units import Bytes

_NOT_SEEN = (
    "what runs now, and with it which values are the baseline's own, what lint and arithmetic leave out before any "
    "start, and whether each value can be set there"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What was written: the sweep's own keys, an experiment with the baseline as both arms, how it is read back."""

    request: SweepRequest
    first: Experiment
    live: dict[str, Any]

    def asked(
        self,
        planner: ArmPlanner,
        engine: str,
        memory: Bytes | None = None,
        propose: Callable[[SweepRecord], tuple[Candidate, ...]] | None = None,
    ) -> Asked:
        """Return it with what is known of the engine and of the nodes."""
        return Asked(
            request=self.request,
            first=self.first,
            live=self.live,
            planner=planner,
            engine=engine,
            memory=memory,
            propose=propose,
        )


def wanted_of(file: Path | None, flags: SweepFlags) -> Wanted:
    """Return what file and flags say together. Raises UsageError."""
    values, fault = sweep_values(file, flags)
    request, rest = sweep_request(values, fault)
    live = rest.pop("live", {})
    _check_launcher(rest.get("launcher"))
    name = rest.get("name") or "sweep of " + (", ".join(one.knob for one in request.ranges) or str(values["params"]))
    first = declared_of({**rest, "name": name, "a": dict(request.baseline), "aa": True}, fault)
    _check_launcher(first.launcher)
    return Wanted(request=request, first=first, live=live)


def plan_shown(wanted: Wanted, world: World, store: Store) -> str:
    """Return the plan, with what is unknown where nodes or server do not answer. Raises as ``planned`` does."""
    try:
        planner = asyncio.run(world.seeing())
    except NodeError as error:
        return _unseen(wanted, world, store, str(error))
    memory = shared_memory(world.watched)
    record, umbrella = planned(wanted.asked(planner, engine_of(wanted, world), memory.size), store)
    unknown = [f"whether each value fits into the memory of a node: {why}" for why in memory.silent]
    return plan_text(record, umbrella, cost_lines(record), foretold(store, record, umbrella), unknown=unknown)


def _unseen(wanted: Wanted, world: World, store: Store, why: str) -> str:
    engine = _told(wanted, world)
    record, umbrella = planned_unseen(wanted.asked(world.planner, engine), store)
    unknown = [f"{_NOT_SEEN}: {why}", *_no_engine(engine, wanted)]
    return plan_text(record, umbrella, cost_lines(record), unknown=unknown, seen=False)


def _no_engine(engine: str, wanted: Wanted) -> Iterator[str]:
    if not engine:
        yield f"which engine it is, and whether it has these knobs: nothing answers at {wanted.first.base_url}"


def engine_of(wanted: Wanted, world: World) -> str:
    """Return the engine whose names the knobs have, "" where they need none. Raises UsageError."""
    known = tuple(grammar.engine for grammar in all_grammars())
    found = _told(wanted, world)
    if found in known:
        return found
    ranges = wanted.request.ranges
    if ranges and all(":" in one.knob for one in ranges):  # each is written as it is set
        return ""
    message = f"the engine {found!r} is not known here" if found else "nothing tells which engine it is"
    raise UsageError(message, hint=f"say it with --engine (engine: in a file): {', '.join(known)}")


def _check_launcher(launcher: object) -> None:
    """Raise UsageError for a launcher whose arms are more than knobs; one that nobody knows is told as such later."""
    if launcher in {one.id for one in all_launchers()} - set(SWEPT):
        message = f"launcher {launcher} sets no single knobs, so that a sweep cannot try them"
        raise UsageError(message, hint=f"a sweep works with {', '.join(SWEPT)}; two settings compare with sparktune ab")


def _told(wanted: Wanted, world: World) -> str:
    first = wanted.first
    if wanted.request.engine:
        return wanted.request.engine
    if first.launcher == "command":
        return engine_of_words(argv_of(first.arms[Arm.A].get("command"), "baseline: command"))
    try:
        return asyncio.run(_asked(first.base_url, world.settings.api_key))
    except EndpointError:
        return ""


async def _asked(base_url: str, api_key: Any) -> str:  # noqa: ANN401 - a Secret, or None
    async with Server(base_url, api_key) as server:
        _, facts = await server.probe()
    return facts.name

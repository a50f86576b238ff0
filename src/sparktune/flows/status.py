"""``status``: one quick look at all that ``sparktune.yaml`` names; what is slow is left out, and said to be so."""

__all__ = ["Looked", "StatusWish", "earned_standing", "look_around", "stored_verdicts"]

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from sparktune.drift.stale import Freshness, Judged
from sparktune.errors import ExitCode, HostError, NodeError, SparktuneError, StoreError
from sparktune.experiment.idle_result import conclude_idle
from sparktune.flows.drift import DriftWish, drift_exit, drift_rows, observe_drift
from sparktune.flows.host.journal import newest_applied, state_of, try_journal
from sparktune.flows.look import Look
from sparktune.flows.one_host import second_names
from sparktune.host.pinning.rows import pinned_of
from sparktune.io.cluster import NodeTarget
from sparktune.io.http.server import Server
from sparktune.io.last_looks import LastDrift, LastLook
from sparktune.io.secrets import Secret
from sparktune.io.store.faults import Unreadable, leave_out
from sparktune.io.store.owner import owner_of
from sparktune.io.store.store import Store
from sparktune.io.transport.readable import ReadableNode
from sparktune.model.experiment_row import ExperimentRow
from sparktune.model.front_page import (
    DriftStanding,
    EarnedStanding,
    NodeStanding,
    ServiceStanding,
    VerdictStanding,
)
from sparktune.model.run import RunState
from sparktune.model.run_row import RunRow
from sparktune.report.bench.words import engine_words, one_line
from sparktune.report.drift.verdict import verdict
from sparktune.units import Seconds, count_of, format_duration

_LIMIT_S: Final[Seconds] = 2.0
"""How long anything may take to answer; all are asked at once."""
_FAREWELL_S: Final[Seconds] = 0.5  # for what is given up, to let go of its processes
_SWEEPS: Final = 20  # of the newest: what confirms a sweep is no experiment of its own
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusWish:
    """What to look at: the nodes, the service with its name and address, drift; ``before`` is the last look."""

    nodes: tuple[NodeTarget, ...]
    service: str = ""
    endpoint: str = ""
    api_key: Secret | None = None
    drift: DriftWish | None = None
    why_no_drift: str = ""
    before: LastLook = field(default_factory=LastLook)
    limit_s: Seconds = _LIMIT_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What answered, what did not, ``remember`` for the next look, and ``notes``: names that are one machine."""

    nodes: tuple[NodeStanding, ...]
    service: ServiceStanding | None
    drift: DriftStanding | None
    remember: LastLook
    notes: tuple[str, ...] = ()


async def look_around(wish: StatusWish, now: Callable[[], Seconds]) -> Looked:
    """Ask everything at once, for ``limit_s`` at most; raises nothing for what does not answer."""
    async with Look() as look:
        # The nodes before drift: they tell in one turn whether they answer, and drift is long.
        nodes = [asyncio.create_task(_node(look.of(target))) for target in wish.nodes]
        service = asyncio.create_task(_service(wish)) if wish.endpoint else None
        drift = asyncio.create_task(_drift(wish.drift, look, now)) if wish.drift is not None else None
        await _at_most(wish.limit_s, [task for task in (*nodes, service, drift) if task is not None])
        await _at_most(_FAREWELL_S, [asyncio.create_task(look.close())])
    late = f"did not answer within {format_duration(wish.limit_s)}"
    seen = dict(wish.before.nodes)
    standings = [
        _ended(task, NodeStanding(node=target.name, why=late, last_seen_wall_s=seen.get(target.name)))
        for task, target in zip(nodes, wish.nodes, strict=True)
    ]
    silent = ServiceStanding(name=wish.service, endpoint=wish.endpoint, why=late)
    last = _ended(drift, None) if drift is not None else None
    remembered = {node.node: now() for node in standings if node.answered}
    return Looked(
        nodes=tuple(_with_past(node, seen) for node in standings),
        service=_ended(service, silent) if service is not None else None,
        drift=_drift_standing(wish, last, late),
        remember=LastLook(nodes=remembered, drift={wish.service: last} if isinstance(last, LastDrift) else {}),
        notes=second_names(wish.nodes, look.met),
    )


def stored_verdicts(store: Store, endpoint: str, unreadable: Unreadable) -> tuple[VerdictStanding, ...]:
    """Return the newest run, experiment, sweep and trial that the store has; an address is told where it is another.

    ``unreadable`` is told of each kind whose newest cannot be understood: an older one is not shown in its place.
    """
    found: list[VerdictStanding] = []
    for newest in (_bench, _ab, _sweep, _trial):
        try:
            found += newest(store, endpoint)
        except StoreError as error:
            unreadable(error)
    return tuple(found)


def earned_standing(file: str, judged: Sequence[Judged]) -> EarnedStanding:
    """Count settings, and those whose evidence is stale."""
    stale = sum(one.freshness is Freshness.STALE for one in judged)
    return EarnedStanding(file=file, count=len(judged), stale=stale)


async def _at_most(limit_s: Seconds, tasks: Sequence[asyncio.Task[Any]]) -> None:
    """Wait for tasks; those that are late are cancelled, and once more where letting go takes long, too."""
    if not tasks:
        return
    _, late = await asyncio.wait(tasks, timeout=limit_s)
    for _ in range(2):
        for task in late:
            task.cancel()
        if late:
            _, late = await asyncio.wait(late, timeout=_FAREWELL_S)


def _ended(task: asyncio.Task[_T], late: Any) -> Any:  # noqa: ANN401 - what stands in its place is of its kind
    return late if not task.done() or task.cancelled() else task.result()


async def _node(node: ReadableNode) -> NodeStanding:
    name = node.target.name
    try:
        journal, why = await try_journal(node)
    except (NodeError, HostError) as error:
        return NodeStanding(node=name, why=_bare(error, name))
    if journal is None:
        return NodeStanding(node=name, why_state=why)
    transactions = journal.transactions
    return NodeStanding(
        node=name,
        state=state_of(journal),
        profile=newest_applied(transactions) is not None,
        pins=len(pinned_of(transactions)),
    )


async def _service(wish: StatusWish) -> ServiceStanding:
    try:
        async with Server(wish.endpoint, wish.api_key) as server:
            _, facts = await server.probe()
    except SparktuneError as error:
        return ServiceStanding(name=wish.service, endpoint=wish.endpoint, why=one_line(str(error)))
    return ServiceStanding(
        name=wish.service, endpoint=wish.endpoint, engine=engine_words(facts), model=", ".join(facts.models)
    )


async def _drift(wish: DriftWish, look: Look, now: Callable[[], Seconds]) -> LastDrift | str:
    """Return what drift came to, or why it could not be looked at."""
    try:
        rows = drift_rows(await observe_drift(wish, look))
    except SparktuneError as error:
        return one_line(str(error))
    code = drift_exit(rows)
    differs = None if code is ExitCode.FAILED else code is ExitCode.DIFFERENCES
    return LastDrift(words=verdict(rows), differs=differs, at_wall_s=now())


def _drift_standing(wish: StatusWish, last: LastDrift | str | None, late: str) -> DriftStanding | None:
    if wish.drift is None:
        return DriftStanding(why=wish.why_no_drift) if wish.why_no_drift else None
    if isinstance(last, LastDrift):
        return DriftStanding(words=last.words, differs=last.differs, at_wall_s=last.at_wall_s)
    why = last or late
    before = wish.before.drift.get(wish.service)
    if before is None:
        return DriftStanding(why=why)
    return DriftStanding(words=before.words, differs=before.differs, at_wall_s=before.at_wall_s, why=why)


def _with_past(node: NodeStanding, seen: Mapping[str, Seconds]) -> NodeStanding:
    if node.answered:
        return node
    return NodeStanding(node=node.node, why=node.why, last_seen_wall_s=seen.get(node.node))


def _bench(store: Store, endpoint: str) -> tuple[VerdictStanding, ...]:
    return tuple(_of_run(run, endpoint) for run in store.list_runs(1, own=True))


def _ab(store: Store, endpoint: str) -> tuple[VerdictStanding, ...]:
    confirms = {one.confirm for one in store.list_sweeps(_SWEEPS, leave_out)}
    experiments = [one for one in store.list_experiments(_SWEEPS) if one.id not in confirms]
    return tuple(_of_experiment(one, endpoint, owner_of(store.path, one.id)) for one in experiments[:1])


def _of_run(run: RunRow, endpoint: str) -> VerdictStanding:
    ended = run.state is RunState.DONE
    cells = count_of(run.cells, "cell")
    found = f"{run.valid} of {cells} valid" if run.valid is not None else ""
    return VerdictStanding(
        kind="bench",
        id=run.id,
        created_wall_s=run.created_wall_s,
        state=run.state.value,
        verdict=found if ended else "",
        about=_elsewhere(one_line(run.model), run.base_url, endpoint),
    )


def _of_experiment(row: ExperimentRow, endpoint: str, owner: str) -> VerdictStanding:
    return VerdictStanding(
        kind="ab",
        id=row.id,
        created_wall_s=row.created_wall_s,
        state=row.state.value,
        verdict=one_line(row.said),
        about=_elsewhere(f"{one_line(row.knob)}, {row.metric}", row.base_url, endpoint),
        holds=row.holds,
        owner=one_line(owner),
    )


def _sweep(store: Store, endpoint: str) -> Iterator[VerdictStanding]:
    for one in store.list_sweeps(1):
        place = store.experiment_row(one.id)
        confirmed = one_line(store.experiment_row(one.confirm).said) if one.confirm else ""
        ended = one.why or "no configuration went to confirmation"
        yield VerdictStanding(
            kind="sweep",
            id=one.id,
            created_wall_s=one.created_wall_s,
            state=one.state.value,
            verdict=confirmed or (one_line(ended) if one.state.value == "done" else ""),
            about=_elsewhere(one_line(one.winner), place.base_url, endpoint),
            holds=place.holds,
            owner=one_line(next(filter(None, (owner_of(store.path, id_) for id_ in (one.id, one.confirm) if id_)), "")),
        )


def _trial(store: Store, _endpoint: str) -> Iterator[VerdictStanding]:
    row = store.idle_trials.newest()
    if row is None:
        return
    found = conclude_idle(row.trial, row.visits, row.why).verdict if row.visits else None
    yield VerdictStanding(
        kind="trial",
        id=row.trial.id,
        created_wall_s=row.trial.created_wall_s,
        state=row.state.value,
        verdict=found.value if found is not None else "",
        about=f"{one_line(row.trial.title)} on {row.trial.node}",
        holds=bool(row.held),
        owner=one_line(owner_of(store.path, row.trial.id)),
    )


def _elsewhere(words: str, base_url: str, endpoint: str) -> str:
    return ", ".join(one for one in (words, "" if base_url == endpoint else f"at {one_line(base_url)}") if one)


def _bare(error: Exception, node: str) -> str:
    return one_line(str(error)).removeprefix(f"{node}: ")

"""One visit of a sweep: a configuration is set, read back and measured as an experiment's arm; its end is a result."""

__all__ = ["SweepTools", "sweep_visit"]

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from sparktune.bench.evaluate import all_metrics
from sparktune.deploy.arm_planner import ArmPlanner
from sparktune.errors import (
    GuardStopped,
    NotConclusive,
    NotOpenAI,
    NotStarted,
    RequestRejected,
    SparktuneError,
    UnknownModel,
)
from sparktune.experiment.design import Arm, Block
from sparktune.experiment.effect import Better
from sparktune.experiment.objective import MEMORY, TOOLS, log_objective, tool_score, worst_cells
from sparktune.experiment.plan import Experiment, VisitState
from sparktune.experiment.result import MeasuredVisit
from sparktune.experiment.steps_up import ascending
from sparktune.experiment.visit_checks import visit_checks
from sparktune.flows.ab.lost import after_loss
from sparktune.flows.ab.result import Results
from sparktune.flows.ab.tools import AbTools
from sparktune.flows.ab.visit import Place, run_visit
from sparktune.io.log_why import why_of_logs
from sparktune.model.check import Status
from sparktune.model.metric import Better as MetricBetter
from sparktune.model.metric import Scope
from sparktune.model.sweep import BASELINE, Candidate, Stage, SweepVisit, VisitEnd, VisitTask

_OF_CONFIGURATION = (NotStarted, NotOpenAI, RequestRejected, UnknownModel)
_MOST_VOID = 4
_BETTER = {MetricBetter.HIGHER: Better.HIGHER, MetricBetter.LOWER: Better.LOWER}
_End = tuple[VisitEnd, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepTools:
    """``ab`` is what visits are made with; ``planner_of`` has a configuration as its arm B. ``logs`` has boot logs."""

    ab: AbTools
    planner_of: Callable[[Candidate], ArmPlanner]
    logs: Path


async def sweep_visit(
    tools: SweepTools, experiment: Experiment, task: VisitTask, results: Results, words: str
) -> SweepVisit:
    """Make the visit and return how it ended. Raises what stands against all visits.

    That is whatever ``run_visit`` raises besides a server that does not come up or refuses the workload, and all of it
    for the baseline: where that cannot be measured, nothing can be compared.
    """
    ab = replace(tools.ab, planner=tools.planner_of(task.candidate))
    began_s = ab.wall_s()
    number = 1 + len(ab.store.sweep_visits(experiment.id))
    place = _place(ab, experiment, task, number, words)
    earlier = [result for record in ab.store.visits(experiment.id) if (result := results.of(record).result) is not None]
    try:
        visit, _ = await run_visit(ab, experiment, place, owed={}, earlier=earlier)
    except _OF_CONFIGURATION as error:
        if task.candidate.key == BASELINE:
            raise
        return _ended(task, number, VisitEnd.INFEASIBLE, _why(tools, began_s, str(error)), ab.wall_s() - began_s)
    results.add(visit)
    if visit.record.lost:
        await after_loss(ab, experiment, visit.record)
    await ab.hold.release()
    found = _measured(ab, experiment, task, number, visit)
    if found.end is VisitEnd.INFEASIBLE:
        found = replace(found, why=_why(tools, began_s, found.why))
    _check_baseline(task, found)
    _check_void(ab, experiment, task, found)
    return replace(found, took_s=ab.wall_s() - began_s)


def _place(ab: AbTools, experiment: Experiment, task: VisitTask, number: int, words: str) -> Place:
    arm = Arm.A if task.candidate.key == BASELINE else Arm.B
    cells = ascending(experiment.workload.cells)
    if task.stage is not Stage.SCREEN:  # there is memory for every shape, and the order is the same in all of a block
        cells = _shuffled(cells, f"{experiment.seed} {task.block}")
    attempts = [visit.attempt for visit in ab.store.visits(experiment.id) if visit.block == number]
    return Place(
        block=Block(number=number, visits=(arm, arm), cells=cells),
        attempt=1 + max(attempts, default=0),
        place=0,
        words=words,
        upwards=task.stage is Stage.SCREEN,
    )


def _shuffled(cells: tuple[int, ...], seed: str) -> tuple[int, ...]:
    order = list(cells)
    random.Random(seed).shuffle(order)  # noqa: S311 - an order that can be repeated, not a secret
    return tuple(order)


def _ended(task: VisitTask, number: int, end: VisitEnd, why: str, took_s: float = 0.0, run_id: str = "") -> SweepVisit:
    return SweepVisit(
        number=number,
        stage=task.stage,
        block=task.block,
        key=task.candidate.key,
        end=end,
        why=why,
        took_s=took_s,
        run_id=run_id,
    )


def _measured(ab: AbTools, experiment: Experiment, task: VisitTask, number: int, visit: MeasuredVisit) -> SweepVisit:
    end, why = _end_of(experiment, visit)
    found = _ended(task, number, end, why, run_id=visit.record.run_id)
    if end is not VisitEnd.MEASURED or visit.result is None:
        return found
    _check_engine(ab, experiment, visit)
    value = log_objective(visit.result, experiment.primary)
    if value is None:
        return replace(found, end=VisitEnd.VOID, why=f"{experiment.primary.metric} has no value above 0 in every cell")
    return replace(found, log_value=value, metrics=_metrics(ab, experiment, visit))


def _end_of(experiment: Experiment, visit: MeasuredVisit) -> _End:
    record = visit.record
    if record.state is VisitState.STOPPED:
        return (VisitEnd.STOPPED if record.trip is not None else VisitEnd.INFEASIBLE), record.why
    if record.state is VisitState.REFUSED:
        return VisitEnd.REFUSED, record.why
    if record.state is not VisitState.DONE:
        return VisitEnd.VOID, record.why
    checks = visit_checks(experiment, [visit])
    void = [f"{check.id}: {check.evidence}" for check in checks if check.status is Status.INVALID]
    return (VisitEnd.VOID, "; ".join(void)) if void else (VisitEnd.MEASURED, "")


def _metrics(ab: AbTools, experiment: Experiment, visit: MeasuredVisit) -> dict[str, float]:
    if visit.result is None:
        return {}
    known = all_metrics()
    better = {
        one.name: _BETTER[one.better] for one in known if one.better in _BETTER and one.scope is not Scope.POSITION
    }
    found = worst_cells(visit.result, better)
    record = visit.record
    lowest = [curve.lowest for curve in ab.store.curves(experiment.id) if curve.block == record.block]
    score = tool_score(record.quality)
    found |= {MEMORY: float(min(lowest))} if lowest else {}
    return found | ({TOOLS: score} if score is not None else {})


def _why(tools: SweepTools, since_wall_s: float, told: str) -> str:
    """Return what failed first in the log of the start, and what was told of the end where the log is silent."""
    first = why_of_logs(tools.logs, since_wall_s)
    told = told.replace("the server of arm B", "the server")  # arms are words of ab
    how, *said = [line.strip() for line in told.splitlines() if line.strip()] or [""]
    return f"{first} ({how.removesuffix('; it said last:')})" if first else " ".join((how, *said[-1:]))


def _check_baseline(task: VisitTask, visit: SweepVisit) -> None:
    if task.candidate.key != BASELINE or visit.end in {VisitEnd.MEASURED, VisitEnd.VOID}:
        return
    message = f"the baseline cannot be measured: {visit.why}"
    hint = "nothing can be compared with it: bring it into order"
    error: type[SparktuneError] = GuardStopped if visit.end is VisitEnd.STOPPED else NotConclusive
    raise error(message, hint=hint)


def _check_void(ab: AbTools, experiment: Experiment, task: VisitTask, visit: SweepVisit) -> None:
    """End where a configuration is never measured validly: something besides it is wrong."""
    if visit.end is not VisitEnd.VOID:
        return
    before = [one for one in ab.store.sweep_visits(experiment.id) if one.key == task.candidate.key]
    if sum(one.end is VisitEnd.VOID for one in before) + 1 >= _MOST_VOID:
        message = f"{task.candidate.key} was visited {_MOST_VOID} times, and never validly: {visit.why}"
        raise NotConclusive(message, hint="find what disturbs it; then go on, or start a new sweep")


def _check_engine(ab: AbTools, experiment: Experiment, visit: MeasuredVisit) -> None:
    """Refuse to put results of two engines beside each other: an update between two halves of a sweep is one."""
    if visit.result is None:
        return
    now = visit.result.run.engine
    earlier = next((one for one in ab.store.sweep_visits(experiment.id) if one.end is VisitEnd.MEASURED), None)
    if earlier is None:
        return
    was = ab.store.load_run(earlier.run_id).engine
    if (was.name, was.version) != (now.name, now.version):
        message = (
            f"the engine is {now.name} {now.version} now, and was {was.name} {was.version} in visit {earlier.number}"
        )
        hint = "two halves of two engines are no sweep: bring that one back, or start a new sweep"
        raise NotConclusive(message, hint=hint)

"""Run a sweep: ask what comes next, visit it, keep what it came to; in the end, and whatever happens, all is restored.

What comes next depends on the plan and the visits that have ended, and on nothing else: so a sweep that was killed goes
on by asking again, and measures nothing twice.
"""

__all__ = ["restore_sweep", "run_sweep", "sweep_result"]

import asyncio
from dataclasses import replace

from sparktune.errors import BootDue, Interrupted, SparktuneError, StoreError
from sparktune.experiment.plan import Experiment
from sparktune.experiment.search import estimates, next_task, visits_left
from sparktune.experiment.sweep_result import SweepResult
from sparktune.flows.ab.restore import restore, restore_without_store
from sparktune.flows.ab.result import Results, experiment_result
from sparktune.flows.ab.tools import to_the_end
from sparktune.flows.sweep.visit import SweepTools, sweep_visit
from sparktune.io.store.store import Store
from sparktune.model.experiment_row import ExperimentState
from sparktune.model.sweep import ConfirmTask, DoneTask, SweepState, SweepVisit, VisitEnd
from sparktune.model.sweep_record import SweepRecord
from sparktune.report.sweep.words import best_words, learned_words, task_words

_COMMAND = "sparktune sweep"


def sweep_result(store: Store, record: SweepRecord, *, confirmed: bool = True) -> SweepResult:
    """Return what a sweep came to so far, from the store alone. Raises StoreError."""
    visits = store.sweep_visits(record.id)
    return SweepResult(
        record=record,
        experiment=store.load_experiment(record.id),
        visits=visits,
        known=estimates(record.plan, visits),
        left=visits_left(record.plan, visits),
        confirmed=experiment_result(store, store.load_experiment(record.confirm))
        if record.confirm and confirmed
        else None,
    )


async def run_sweep(tools: SweepTools, experiment: Experiment, record: SweepRecord) -> SweepRecord:
    """Screen and race until there is a winner to confirm or nothing left to do; return the record that says which.

    The caller owns the experiment; what a killed process left was taken back. Raises Interrupted, and whatever stands
    against all visits, when the original has been restored; and what restoring raises.
    """
    store = tools.ab.store
    record = replace(record, state=SweepState.RUNNING)
    _keep(store, record, ExperimentState.RUNNING)
    try:
        if began := tools.ab.planner.begin():
            await tools.ab.hold.perform(began)
        end = await _visits(tools, experiment, record)
    except BaseException as error:
        await _give_up(tools, experiment, record, error)
        raise
    winner = end.candidate.key if isinstance(end, ConfirmTask) else ""
    record = replace(record, winner=winner, why=end.why, state=SweepState.RUNNING if winner else SweepState.DONE)
    _keep(store, record, ExperimentState.INTERRUPTED)
    proof = await to_the_end(restore(tools.ab, experiment), tools.ab.progress.say, _COMMAND)
    record = replace(record, afterwards=proof)
    _keep(store, record, ExperimentState.DONE)
    return record


async def restore_sweep(tools: SweepTools, experiment: Experiment, record: SweepRecord) -> SweepRecord:
    """Bring the original back where a sweep has touched something, and measure nothing. Raises as ``restore``."""
    store = tools.ab.store
    touched = store.visits(record.id) or store.held(record.id)
    proof = await to_the_end(restore(tools.ab, experiment), tools.ab.progress.say, _COMMAND) if touched else ""
    state = SweepState.INTERRUPTED if record.state is SweepState.RUNNING and not record.winner else record.state
    record = replace(record, state=state, afterwards=proof)
    _keep(store, record, ExperimentState.INTERRUPTED)
    return record


async def _visits(tools: SweepTools, experiment: Experiment, record: SweepRecord) -> ConfirmTask | DoneTask:
    store, say, results = tools.ab.store, tools.ab.progress.say, Results(tools.ab.store)
    while True:
        visits = store.sweep_visits(record.id)
        task = next_task(record.plan, visits)
        if isinstance(task, ConfirmTask | DoneTask):
            return task
        words = task_words(sweep_result(store, record, confirmed=False), task)
        visit = await sweep_visit(tools, experiment, task, results, words)
        store.add_sweep_visit(record.id, visit)
        _tell(tools, record, visit)
        if visit.end is VisitEnd.VOID:
            say(f"{visit.key} is to be measured again: {visit.why}")


def _tell(tools: SweepTools, record: SweepRecord, visit: SweepVisit) -> None:
    result = sweep_result(tools.ab.store, record, confirmed=False)
    tools.ab.progress.say(learned_words(result, visit))
    if best := best_words(result):
        tools.ab.progress.say(best)


async def _give_up(tools: SweepTools, experiment: Experiment, record: SweepRecord, error: BaseException) -> None:
    """Restore after whatever ended the visits; say how to go on. Raises Interrupted for an interruption."""
    task, say = asyncio.current_task(), tools.ab.progress.say
    interrupted = isinstance(error, asyncio.CancelledError | Interrupted | KeyboardInterrupt)
    if isinstance(error, asyncio.CancelledError) and task is not None:
        task.uncancel()
    say("interrupted: bringing the original back" if interrupted else "bringing the original back")
    on = f"go on with: {_COMMAND} resume {record.id}"
    if isinstance(error, StoreError):
        proof = await to_the_end(restore_without_store(tools.ab, experiment), say, _COMMAND)
        say(f"restored, which the store does not know: {proof}")
        error.hint = f"{error.hint}; {on}"
        return
    why = "" if interrupted else str(error)
    record = replace(record, state=SweepState.INTERRUPTED, why=why)
    _keep(tools.ab.store, record, ExperimentState.INTERRUPTED)
    proof = await to_the_end(_restored(tools, experiment), say, _COMMAND)
    _keep(tools.ab.store, replace(record, afterwards=proof), ExperimentState.INTERRUPTED)
    if interrupted:
        message = f"sweep {record.id} was interrupted; {proof or 'nothing was changed yet'}"
        raise Interrupted(message, hint=on) from error
    if isinstance(error, SparktuneError) and not isinstance(error, BootDue):
        of_bench = "sparktune bench" in error.hint  # a visit is a run, but it is not gone on with as one
        error.hint = f"{error.hint}; {on}" if error.hint and not of_bench else on


async def _restored(tools: SweepTools, experiment: Experiment) -> str:
    store = tools.ab.store
    touched = store.visits(experiment.id) or store.held(experiment.id)
    return await restore(tools.ab, experiment) if touched else ""


def _keep(store: Store, record: SweepRecord, state: ExperimentState) -> None:
    store.set_sweep(record)
    store.end_experiment(record.id, state, why=record.why, afterwards=record.afterwards)

"""What reports are made of, out of the store: the result, the waves to show, and when visits began to measure."""

__all__ = ["Subject", "experiment_material", "find_subject", "run_material"]

from sparktune.bench.trial import decode_trial
from sparktune.engines import by_name
from sparktune.errors import UnknownRun, UsageError
from sparktune.experiment.plan import Experiment
from sparktune.flows.ab.result import experiment_result
from sparktune.flows.bench.result import rebuild
from sparktune.flows.runs import find_run
from sparktune.io.store.named import is_newest
from sparktune.io.store.store import Store
from sparktune.model.cell import Cell
from sparktune.model.run import Run
from sparktune.model.trial import Phase, Trial
from sparktune.report.experiment.material import Material, choose_wave
from sparktune.report.run.pictures import RunMaterial, choose_cell
from sparktune.units import Seconds

Subject = Experiment | Run


def find_subject(store: Store, prefix: str) -> Subject:
    """Return the experiment or the run whose id begins with ``prefix``; for "" and ``last`` what was begun last.

    A visit's run belongs to its experiment, so that the newest is the experiment, not its last visit. Raises
    UnknownRun, and UsageError when several begin so, or when the newest is a visit of a sweep, which has its own page.
    """
    if not is_newest(prefix):
        try:
            return store.load_experiment(prefix)
        except UnknownRun:
            return find_run(store, prefix)
    run = store.newest_run()
    for sweep in store.list_sweeps(1):
        if run.id in {visit.run_id for visit in store.sweep_visits(sweep.id)}:
            message = f"what was measured last is a visit of sweep {sweep.id}"
            raise UsageError(message, hint=f"the page of that sweep: sparktune sweep report {sweep.id}")
    experiments = store.list_experiments(1)
    if not experiments:
        return run
    experiment = store.load_experiment(experiments[0].id)
    ours = {visit.run_id for visit in store.visits(experiment.id)}
    return run if run.created_wall_s > experiment.created_wall_s and run.id not in ours else experiment


def experiment_material(store: Store, experiment: Experiment) -> Material:
    """Return everything that an experiment's report shows. Raises StoreError, and UsageError for an unknown engine."""
    result = experiment_result(store, experiment)
    chosen = choose_wave(result)
    waves = {}
    for arm, run_id in chosen.runs.items() if chosen is not None else ():
        trial = _wave(store, run_id, chosen.cell, chosen.trials[arm]) if chosen is not None else None
        if trial is not None:
            waves[arm] = trial
    began = {visit.record.run_id: _measured_from(store, visit.record.run_id) for visit in result.visits if visit.result}
    return Material(
        result=result,
        waves=waves,
        measured_from={run: instant for run, instant in began.items() if instant is not None},
    )


def run_material(store: Store, run: Run) -> RunMaterial:
    """Return everything that a run's report shows. Raises StoreError, and UsageError for an unknown engine."""
    result = rebuild(store, run)
    cell = choose_cell(result)
    trials = next((row.trials for row in result.cells if row.cell == cell), 0)
    wave = _wave(store, run.id, cell, (trials - 1) // 2) if cell is not None else None
    return RunMaterial(result=result, wave=wave)


def _wave(store: Store, run_id: str, cell: Cell, number: int) -> Trial | None:
    """Decode one measured wave; ``number`` counts the cell's complete ones in the order of their index."""
    run = store.load_run(run_id)
    engine = by_name(run.engine.name)
    waves = (raw for raw in store.trials(run_id) if raw.phase is Phase.MEASURE and raw.complete and raw.cell == cell)
    ordered = sorted(waves, key=lambda raw: raw.index)
    return decode_trial(ordered[number], engine, run.workload.options) if number < len(ordered) else None


def _measured_from(store: Store, run_id: str) -> Seconds | None:
    return next((raw.started_wall_s for raw in store.trials(run_id) if raw.phase is Phase.MEASURE), None)

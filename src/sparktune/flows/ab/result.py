"""From the store to an experiment's result: the same at its end and a year later."""

__all__ = ["Results", "experiment_result"]

import random
import re
from collections.abc import Sequence
from dataclasses import replace

from sparktune.bench.evaluate import all_metrics
from sparktune.experiment.checked import checks_of
from sparktune.experiment.conclude import conclude
from sparktune.experiment.effect import Better
from sparktune.experiment.noise import noise_of
from sparktune.experiment.plan import Experiment, VisitRecord, VisitState
from sparktune.experiment.result import ExperimentResult, MeasuredVisit
from sparktune.experiment.verdict import Verdict
from sparktune.flows.bench.result import rebuild
from sparktune.io.store.store import Store
from sparktune.model.metric import Better as MetricBetter
from sparktune.model.metric import Scope
from sparktune.model.result import RunResult

_NUMBERS = re.compile(r"\d+")


class Results:
    """Results of visits by their run, decoded once."""

    def __init__(self, store: Store) -> None:
        """Know nothing yet."""
        self._store = store
        self._known: dict[str, RunResult] = {}

    def add(self, visit: MeasuredVisit) -> None:
        """Keep a result that was just made."""
        if visit.result is not None:
            self._known[visit.record.run_id] = visit.result

    def of(self, record: VisitRecord) -> MeasuredVisit:
        """Return a visit with its result, which only one that was measured to its end has."""
        if record.state is not VisitState.DONE or not record.run_id:
            return MeasuredVisit(record=record, result=None)
        if record.run_id not in self._known:
            self._known[record.run_id] = rebuild(self._store, self._store.load_run(record.run_id))
        return MeasuredVisit(record=record, result=self._known[record.run_id])


def experiment_result(store: Store, experiment: Experiment, results: Results | None = None) -> ExperimentResult:
    """Return what an experiment came to so far. Raises StoreError, and UsageError for an engine that is not known."""
    results = results or Results(store)
    visits = tuple(results.of(record) for record in store.visits(experiment.id))
    draw = random.Random(experiment.seed)  # noqa: S311 - a simulation of futures, not a secret
    checks = checks_of(experiment, visits)
    result = conclude(experiment, visits, checks, _observed(experiment), lambda: draw.gauss(0, 1))
    row = store.experiment_row(experiment.id)
    noise = noise_of(experiment, visits) if experiment.aa else None
    notes = _alike([note for visit in visits for note in visit.record.notes])
    result = replace(result, notes=notes, noise=noise, afterwards=row.afterwards, curves=store.curves(experiment.id))
    if row.why and result.verdict is None and not result.judgement.anecdote:
        return replace(result, verdict=Verdict.INCONCLUSIVE, why=row.why)
    return result


def _observed(experiment: Experiment) -> dict[str, Better]:
    decided = {experiment.primary.metric, *(guard.metric for guard in experiment.guards)}
    directions = {MetricBetter.HIGHER: Better.HIGHER, MetricBetter.LOWER: Better.LOWER}
    return {
        metric.name: directions[metric.better]
        for metric in all_metrics()
        if metric.better in directions and metric.scope is not Scope.POSITION and metric.name not in decided
    }


def _alike(notes: Sequence[str]) -> tuple[str, ...]:
    """Return notes, of those that differ in numbers only (a pid, a port) the first."""
    found: dict[str, str] = {}
    for note in notes:
        found.setdefault(_NUMBERS.sub("#", note), note)
    return tuple(found.values())

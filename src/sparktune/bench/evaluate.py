"""Turn a run's trials into its result: metrics and checks of every cell."""

__all__ = ["all_checks", "all_metrics", "evaluate", "failure_words"]

from collections import Counter
from collections.abc import Mapping, Sequence

from sparktune.bench import metrics, validity
from sparktune.bench.summary import summarize
from sparktune.model.cell import Cell
from sparktune.model.check import CellEvidence, Check, RunEvidence, Status
from sparktune.model.metric import Metric
from sparktune.model.result import CellResult, RunResult
from sparktune.model.run import Run
from sparktune.model.timeline import Failure
from sparktune.model.trial import Phase, Trial
from sparktune.model.warmup import WarmupOutcome
from sparktune.plugins import load_plugins
from sparktune.redact import redact_text
from sparktune.units import TokensPerSecond


def all_metrics() -> tuple[Metric, ...]:
    """Return every metric, in the order of its column."""
    return tuple(sorted(load_plugins(metrics, "METRIC", Metric), key=lambda metric: (metric.order, metric.name)))


def all_checks() -> tuple[Check, ...]:
    """Return every validity check, by id."""
    return tuple(sorted(load_plugins(validity, "CHECK", Check), key=lambda check: check.id))


def evaluate(
    run: Run,
    trials: Sequence[Trial],
    *,
    warmups: Mapping[Cell, WarmupOutcome],
    incomplete: Mapping[Cell, int],
    cold_reference_tok_s: TokensPerSecond | None = None,
) -> RunResult:
    """Return the result of a run from its complete trials of all phases.

    Every cell of the workload has a row, one that was not reached too: its numbers are unknown and it is not valid.
    ``incomplete`` counts waves that were ended from outside; ``cold_reference_tok_s`` is the cold prefill rate that
    earlier runs of this endpoint and model reached.
    """
    known = all_metrics()
    evidence = RunEvidence(
        cells=tuple(_cell_evidence(run, cell, trials, warmups.get(cell), known) for cell in _cells(run, trials)),
        engine=run.engine,
        options=run.workload.options,
        slo=run.workload.slo,
        cold_reference_tok_s=cold_reference_tok_s,
    )
    checks = all_checks()
    rows = tuple(_row(run, cell, evidence, checks, incomplete.get(cell.cell, 0)) for cell in evidence.cells)
    return RunResult(run=run, cells=rows, notes=_notes(rows))


def _cells(run: Run, trials: Sequence[Trial]) -> tuple[Cell, ...]:
    # A trial of a cell that the workload does not name is a fault elsewhere; it is shown rather than lost.
    return tuple(dict.fromkeys((*run.workload.cells, *(trial.cell for trial in trials))))


def _cell_evidence(
    run: Run, cell: Cell, trials: Sequence[Trial], warmup: WarmupOutcome | None, known: Sequence[Metric]
) -> CellEvidence:
    phases: dict[Phase, list[Trial]] = {phase: [] for phase in Phase}
    for trial in sorted(trials, key=lambda trial: trial.index):
        if trial.cell == cell:
            phases[trial.phase].append(trial)
    measured = tuple(phases[Phase.MEASURE])
    return CellEvidence(
        cell=cell,
        trials=measured,
        warmups=tuple(phases[Phase.WARMUP]),
        contexts=tuple(phases[Phase.CONTEXT]),
        warmup=warmup,
        metrics=tuple(summarize(metric, measured, run.workload.slo) for metric in known),
    )


def _row(run: Run, cell: CellEvidence, evidence: RunEvidence, checks: Sequence[Check], incomplete: int) -> CellResult:
    results = tuple(check.run(cell, evidence) for check in checks)
    requests = [request for trial in cell.trials for request in trial.requests]
    failed = [request.timeline.failure for request in requests if request.timeline.failure]
    failures = Counter(failure.type.value for failure in failed)
    return CellResult(
        cell=cell.cell,
        trials=len(cell.trials),
        trials_asked=run.workload.trials,
        requests=len(requests),
        failures=dict(sorted(failures.items())),
        metrics=cell.metrics,
        checks=results,
        valid=all(result.status is not Status.INVALID for result in results),
        warmup=cell.warmup,
        incomplete=incomplete,
        label=next((result.label for result in results if result.label), ""),
        failure_words=dict(Counter(failure_words(failure) for failure in failed).most_common()),
    )


def failure_words(failure: Failure) -> str:
    """Return how a request failed in one line; a server may repeat in its words what it was sent, the API key too."""
    status = "" if failure.status is None else f" {failure.status}"
    detail = f": {redact_text(failure.detail)}" if failure.detail else ""
    return f"{failure.type.value}{status}{detail}"


def _notes(rows: Sequence[CellResult]) -> tuple[str, ...]:
    notes = []
    missing = sum(row.trials < row.trials_asked for row in rows)
    if missing:
        notes.append(f"{missing} of {len(rows)} cells have fewer trials than were asked for")
    ended = sum(row.incomplete for row in rows)
    if ended:
        waves, were, are = ("1 wave", "was", "is") if ended == 1 else (f"{ended} waves", "were", "are")
        notes.append(f"{waves} {were} ended from outside and {are} in no number")
    return tuple(notes)

"""The evidence that a check judges, from the short descriptions of a YAML case."""

from collections.abc import Mapping
from typing import Any

from tests.support.trials import make_spec_cell, make_trials

from sparktune.bench.evaluate import all_metrics
from sparktune.bench.summary import summarize
from sparktune.model.check import CellEvidence, RunEvidence
from sparktune.model.engine import EngineFacts
from sparktune.model.options import SendOptions, Slo
from sparktune.model.trial import Phase
from sparktune.model.warmup import WarmupOutcome


def make_cell_evidence(spec: Mapping[str, Any]) -> CellEvidence:
    """Return a cell with the waves of all phases and its metrics."""
    cell = make_spec_cell(spec.get("cell", {}))
    trials = make_trials(spec["trials"], cell=cell)
    warmup = spec.get("warmup")
    return CellEvidence(
        cell=cell,
        trials=trials,
        warmups=make_trials(spec.get("warmups", []), cell=cell, phase=Phase.WARMUP),
        contexts=make_trials(spec.get("contexts", []), cell=cell, phase=Phase.CONTEXT),
        warmup=None if warmup is None else WarmupOutcome(**warmup),
        metrics=tuple(summarize(metric, trials, Slo()) for metric in all_metrics()),
    )


def make_run_evidence(spec: Mapping[str, Any], cell: CellEvidence) -> RunEvidence:
    """Return the run of that cell: its other cells, engine and options."""
    return RunEvidence(
        cells=(cell, *(make_cell_evidence(other) for other in spec.get("others", []))),
        engine=EngineFacts(**{"name": "generic", **spec.get("engine", {})}),
        options=SendOptions(model="m", fixed_length=spec.get("fixed_length", True)),
        slo=Slo(),
        cold_reference_tok_s=spec.get("cold_reference"),
    )

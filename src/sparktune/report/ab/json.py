"""An experiment as JSON, schema 1: SI floats; what is absent is null with a ``why`` beside it."""

__all__ = ["result_json", "result_record", "rows_json"]

import json
from collections.abc import Mapping, Sequence

from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Effect
from sparktune.experiment.result import BlockResult, ExperimentResult, GuardResult, MeasuredVisit, MetricEffect
from sparktune.model.engine import JsonValue
from sparktune.model.experiment_row import ExperimentRow
from sparktune.report.ab.harm_words import harm_records
from sparktune.report.ab.host_words import memory_record, trip_records, unwatched
from sparktune.report.ab.steps import next_steps
from sparktune.report.ab.words import reasons, sentence
from sparktune.report.bench.words import utc
from sparktune.report.records import plain_record

_SCHEMA = 1
_Record = dict[str, JsonValue]


def result_json(result: ExperimentResult) -> str:
    """Render a result."""
    return json.dumps(result_record(result), indent=2, allow_nan=False) + "\n"


def rows_json(rows: Sequence[ExperimentRow], owners: Mapping[str, str]) -> str:
    """Render a list of experiments; ``owner`` is the living process that works on one, null when none does."""
    told = [{**plain_record(row), "owner": owners.get(row.id) or None} for row in rows]
    record = {"schema": _SCHEMA, "experiments": told}
    return json.dumps(record, indent=2, allow_nan=False) + "\n"


def result_record(result: ExperimentResult) -> _Record:
    """Return the result as what JSON can hold."""
    experiment, judgement = result.experiment, result.judgement
    return {
        "schema": _SCHEMA,
        "run": experiment.id,
        "created": utc(experiment.created_wall_s),
        "verdict": result.verdict.value if result.verdict is not None else None,
        "anecdote": result.verdict is None and judgement.anecdote,
        "sentence": sentence(result),
        "why": _why(result),
        "primary": experiment.primary.metric,
        "better": experiment.primary.better.value,
        "effect": _effect(judgement.effect),
        "blocks": len(result.blocks),
        "planned_blocks": len(experiment.blocks),
        "fragile": judgement.fragile,
        "below_margin": judgement.below_margin,
        "margin": experiment.rules.margin,
        "equivalence": experiment.rules.equivalence,
        "equivalence_test": experiment.rules.only_equivalence,
        "chance": result.chance,
        "smallest_detectable": result.smallest_detectable,
        "outliers": result.outliers,
        "noise": plain_record(result.noise) if result.noise is not None else None,
        "block_results": [_block(block) for block in result.blocks],
        "cells": [
            {"cell": cell.cell, "effect": _effect(cell.effect), "holds": cell.holds, "why": cell.why}
            for cell in result.cells
        ],
        "guards": [_guard(guard) for guard in result.guards],
        "cell_harms": harm_records(result.harms),
        "observed": [_observed(one) for one in result.observed],
        "checks": [
            {"id": check.id, "status": check.status.value, "evidence": check.evidence, "hint": check.hint}
            for check in result.checks
        ],
        "trips": trip_records(result),
        "unwatched": list(unwatched(result)),
        "visits": [_visit(result, visit) for visit in result.visits],
        "experiment": _experiment(result),
        "afterwards": result.afterwards,
        "notes": list(result.notes),
        "next": list(next_steps(result)),
    }


def _why(result: ExperimentResult) -> str:
    told = [result.why] if result.why else []
    told += [reason for reason in reasons(result) if reason not in told]
    return "; ".join(told) or "null: not known, or none is needed"


def _effect(effect: Effect | None) -> JsonValue:
    if effect is None:
        return None
    return {
        "ratio": effect.ratio,
        "low": effect.low,
        "high": effect.high,
        "confidence": effect.confidence,
        "blocks": effect.blocks,
        "deviation": effect.deviation,
        "wins": effect.wins,
    }


def _block(block: BlockResult) -> _Record:
    return {
        "number": block.number,
        "order": "".join(arm.value for arm in block.order),
        "log_ratio": block.ratio,
        "values": {arm.value: dict(block.values[arm]) for arm in Arm},
    }


def _observed(one: MetricEffect) -> _Record:
    return {
        "metric": one.metric,
        "better": one.better.value,
        "effect": _effect(one.effect),
        "medians": {arm.value: value for arm, value in one.medians.items()},
        "why": one.why,
    }


def _guard(guard: GuardResult) -> _Record:
    return {
        "metric": guard.metric,
        "margin": guard.margin,
        "status": guard.status.value,
        "effect": _effect(guard.effect),
        "why": guard.why,
    }


def _visit(result: ExperimentResult, visit: MeasuredVisit) -> _Record:
    return {**plain_record(visit.record), "memory": memory_record(result, visit)}


def _experiment(result: ExperimentResult) -> _Record:
    return plain_record(result.experiment)

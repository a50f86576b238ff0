"""The result as JSON, schema 1: SI floats, units in the names; what is absent is null with a ``why`` beside it."""

__all__ = ["result_record", "write_json"]

import json

from sparktune.model.check import CheckResult
from sparktune.model.engine import EngineFacts, JsonValue
from sparktune.model.metric import MetricSummary
from sparktune.model.result import CellResult, RunResult
from sparktune.model.warmup import WarmupOutcome
from sparktune.report.bench.words import finite, utc, why_unknown
from sparktune.report.records import cell_record, plain_record, workload_record

_SCHEMA = 1
_Record = dict[str, JsonValue]
_WORKLOAD_NULLS = (
    "null in options: left to the server; in slo: no limit; in warmup.waves: until the last windows of warm-up agree"
)


def write_json(result: RunResult) -> str:
    """Render the result."""
    return json.dumps(result_record(result), indent=2, allow_nan=False) + "\n"


def result_record(result: RunResult) -> _Record:
    """Return the result as what JSON can hold."""
    run = result.run
    return {
        "schema": _SCHEMA,
        "run": run.id,
        "state": run.state.value,
        "created": utc(run.created_wall_s),
        "created_wall_s": run.created_wall_s,
        "base_url": run.base_url,
        "model": run.workload.options.model,
        "engine": _engine(run.engine),
        "workload": {**workload_record(run.workload), "why": _WORKLOAD_NULLS},
        "provenance": plain_record(run.provenance),
        "notes": list(result.notes),
        "cells": [_cell(row) for row in result.cells],
    }


def _engine(engine: EngineFacts) -> _Record:
    record = plain_record(engine)
    missing = [name for name, value in record.items() if value is None]
    return {**record, "why": f"the server does not tell: {', '.join(missing)}"} if missing else record


def _cell(row: CellResult) -> _Record:
    cell = row.cell
    why = [] if row.label else ["label: no check could tell what bounds this cell"]
    why += ["prompt_tokens: the requests of this cell have several lengths, see shape"] if cell.is_mix else []
    why += [] if row.warmup else ["warmup: none is recorded for this cell"]
    return {
        "name": cell.label,
        **cell_record(cell),
        "trials": row.trials,
        "trials_asked": row.trials_asked,
        "incomplete": row.incomplete,
        "requests": row.requests,
        "failures": dict(row.failures),
        "failure_words": dict(row.failure_words),
        "valid": row.valid,
        "label": row.label or None,
        "warmup": _warmup(row.warmup),
        "why": "; ".join(why),
        "metrics": {metric.name: _metric(metric) for metric in row.metrics},
        "checks": [_check(check) for check in row.checks],
    }


def _metric(metric: MetricSummary) -> _Record:
    record: _Record = {
        "median": finite(metric.median),
        "min": finite(metric.minimum),
        "max": finite(metric.maximum),
        "p90": finite(metric.p90),
        "p99": finite(metric.p99),
        "n": metric.n,
        "trials": metric.trials,
        "per_trial": [finite(value) for value in metric.per_trial],
        "unit": metric.unit,
        "title": metric.title,
        "why": why_unknown(metric),
    }
    if metric.by_position:
        record["by_position"] = [finite(value) for value in metric.by_position]
    return record


def _check(check: CheckResult) -> _Record:
    return {
        "id": check.id,
        "status": check.status.value,
        "evidence": check.evidence,
        "hint": check.hint,
        "label": check.label,
    }


def _warmup(outcome: WarmupOutcome | None) -> JsonValue:
    if outcome is None:
        return None
    why = outcome.why or "null: no rule was asked for, or there were too few windows"
    return {"waves": outcome.waves, "steady": outcome.steady, "spread": finite(outcome.spread), "why": why}

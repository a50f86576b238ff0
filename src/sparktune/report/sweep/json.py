"""A sweep as JSON, schema 1: SI floats, logarithms as such; what is absent is null."""

__all__ = ["result_json", "result_record", "rows_json"]

import json
from collections.abc import Mapping, Sequence

from sparktune.experiment.sweep_result import SweepResult
from sparktune.model.engine import JsonValue
from sparktune.model.prediction import Outcome
from sparktune.model.sweep import Estimate
from sparktune.report.ab.json import result_record as ab_record
from sparktune.report.bench.words import utc
from sparktune.report.records import plain_record
from sparktune.report.sweep.predict import predictions_record
from sparktune.report.sweep.words import next_steps, sentence, verdict_word

_SCHEMA = 1
_Record = dict[str, JsonValue]


def result_json(result: SweepResult, outcomes: Sequence[Outcome] = ()) -> str:
    """Render a sweep."""
    return json.dumps(result_record(result, outcomes), indent=2, allow_nan=False) + "\n"


def rows_json(results: Sequence[SweepResult], owners: Mapping[str, str]) -> str:
    """Render a list of sweeps; ``owner`` is the living process that works on one, null when none does."""
    rows = [
        {
            "sweep": result.record.id,
            "created": utc(result.record.created_wall_s),
            "verdict": verdict_word(result),
            "winner": result.record.winner or None,
            "confirm": result.record.confirm or None,
            "knobs": [one.knob for one in result.plan.ranges],
            "url": result.experiment.base_url,
            "owner": owners.get(result.record.id) or None,
        }
        for result in results
    ]
    return json.dumps({"schema": _SCHEMA, "sweeps": rows}, indent=2, allow_nan=False) + "\n"


def result_record(result: SweepResult, outcomes: Sequence[Outcome] = ()) -> _Record:
    """Return the sweep as what JSON can hold."""
    record, plan = result.record, result.plan
    return {
        "schema": _SCHEMA,
        "sweep": record.id,
        "created": utc(record.created_wall_s),
        "state": record.state.value,
        "verdict": verdict_word(result),
        "sentence": sentence(result),
        "why": record.why or None,
        "winner": record.winner or None,
        "primary": result.experiment.primary.metric,
        "better": result.experiment.primary.better.value,
        "margin": plan.margin,
        "budget_s": plan.budget_s,
        "took_s": result.took_s,
        "visits_left": result.left,
        "ranges": [plain_record(one) for one in plan.ranges],
        "constraints": [plain_record(one) for one in plan.constraints],
        "pruned": [plain_record(one) for one in plan.pruned],
        "predictions": predictions_record(outcomes),
        "known": [_known(one) for one in result.known],
        "visits": [{**plain_record(visit), "why": visit.why or None} for visit in result.visits],
        "confirmation": ab_record(result.confirmed) if result.confirmed is not None else None,
        "afterwards": record.afterwards,
        "next": list(next_steps(result)),
    }


def _known(one: Estimate) -> _Record:
    return {
        "key": one.candidate.key,
        "values": dict(one.candidate.values),
        "standing": one.standing.value,
        "stage": one.stage.value if one.stage is not None else None,
        "log_ratio": one.log_ratio,
        "error": one.error,
        "visits": one.visits,
        "why": one.why or None,
    }

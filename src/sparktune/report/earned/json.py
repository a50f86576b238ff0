"""Earned settings as JSON, schema 1; what is absent is null with a why."""

__all__ = ["history_json", "list_json", "show_json"]

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sparktune.drift.earned_keys import knob_of
from sparktune.drift.stale import Judged
from sparktune.model.earned import EarnedEntry
from sparktune.model.experiment_row import ExperimentRow
from sparktune.report.bench.words import utc

_WHY = "null: the entry does not say"


def list_json(found: Sequence[Judged], file: str) -> str:
    """Render all settings that count."""
    return _json({"file": file, "settings": [_judged(one) for one in found]})


def show_json(found: Sequence[Judged], file: str) -> str:
    """Render some settings, each with what the catalogue of knobs has of it."""
    return _json({"file": file, "settings": [{**_judged(one), "knob_of_catalogue": _knob(one.entry)} for one in found]})


def history_json(
    past: Sequence[EarnedEntry], measured: Sequence[ExperimentRow], kept: frozenset[str], file: str
) -> str:
    """Render what was earned once, and what was measured."""
    experiments = [
        {
            "run": row.id,
            "created": utc(row.created_wall_s),
            "knob": row.knob,
            "metric": row.metric,
            "state": row.state.value,
            "verdict": row.verdict or None,
            **({} if row.verdict and not row.caveat else {"why": row.why or "there is none (yet)"}),
            "kept": row.id in kept,
        }
        for row in measured
    ]
    history = [{**_entry(one), "ended": None if one.ended is None else asdict(one.ended)} for one in past]
    return _json({"file": file, "history": history, "experiments": experiments})


def _judged(one: Judged) -> dict[str, Any]:
    return {
        **_entry(one.entry),
        "state": one.freshness.value,
        "stale": list(one.stale),
        "unknown": list(one.unknown),
        "renew": one.renew,
    }


def _entry(entry: EarnedEntry) -> dict[str, Any]:
    return {
        "knob": entry.knob,
        "value": entry.value,
        "instead_of": entry.instead_of,
        "scope": _with_why(asdict(entry.scope)),
        "evidence": _with_why(asdict(entry.evidence)),
        "line": entry.line,
    }


def _with_why(values: Mapping[str, Any]) -> dict[str, Any]:
    return {**values, **({"why": _WHY} if None in values.values() else {})}


def _knob(entry: EarnedEntry) -> dict[str, Any] | None:
    knob = knob_of(entry)
    return None if knob is None else asdict(knob)


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps({"schema": 1, **content}, indent=2, ensure_ascii=False, allow_nan=False, default=str) + "\n"

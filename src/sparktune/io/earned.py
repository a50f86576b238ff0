"""``earned.yaml``: settings that an experiment earned, with their scope and evidence; sorted, made for git review."""

__all__ = ["EARNED_NAME", "earned_entry", "keep_earned"]

import hashlib
import io
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from ruamel.yaml import YAML

from sparktune.experiment.design import Arm
from sparktune.experiment.plan import Experiment
from sparktune.experiment.result import ExperimentResult
from sparktune.io.config_text import read_config_text
from sparktune.io.files import write_atomic

EARNED_NAME = "earned.yaml"

_HEAD = """\
# Settings that an experiment earned: what, where it holds, and the evidence. Written by sparktune, made for review.
# evidence.ratio is how much better the value is than instead_of; low and high hold it with the confidence given.
"""
_HASH_LETTERS = 16
_DIGITS = 4
_WIDTH = 4096  # a command stays on one line, for git to compare


def earned_entry(result: ExperimentResult) -> dict[str, Any]:
    """Return the entry of an improvement. Raises ValueError for any other result."""
    effect = result.judgement.effect
    if effect is None:
        message = "no effect: nothing was earned"
        raise ValueError(message)
    experiment = result.experiment
    return {
        "knob": experiment.knob,
        "value": _plain(experiment.arms[Arm.B]),
        "instead_of": _plain(experiment.arms[Arm.A]),
        "scope": {
            "cluster": experiment.scope.get("cluster") or ", ".join(experiment.nodes) or None,
            "service": experiment.scope.get("service") or experiment.base_url,
            "image_digest": experiment.scope.get("image_digest"),
            "launcher": experiment.launcher,
            "model": _model(result),
            "workload": _workload_hash(experiment),
        },
        "evidence": {
            "run": experiment.id,
            "date": datetime.fromtimestamp(experiment.created_wall_s, UTC).strftime("%Y-%m-%d"),
            "metric": experiment.primary.metric,
            "better": experiment.primary.better.value,
            "ratio": round(effect.ratio, _DIGITS),
            "low": round(effect.low, _DIGITS),
            "high": round(effect.high, _DIGITS),
            "confidence": round(effect.confidence, _DIGITS),
            "blocks": effect.blocks,
            "blocks_won": effect.wins,
            "guards": {guard.metric: guard.status.value for guard in result.guards},
        },
    }


def keep_earned(path: Path, entry: Mapping[str, Any]) -> None:
    """Add an entry, or put it in the place of the one for the same knob and scope; the rest stays as it is.

    Raises UsageError for a file that is not of this form, and for one that cannot be written.
    """
    entries = [one for one in _read(path) if _key(one) != _key(entry)] + [dict(entry)]
    text = io.StringIO()
    writer = YAML()
    writer.default_flow_style = False
    writer.width = _WIDTH
    writer.dump({"schema": 1, "settings": sorted(entries, key=_key)}, text)
    write_atomic(path, _HEAD + text.getvalue())


def _read(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    text = read_config_text(path)
    settings = text.mapping(()).get("settings")
    if text.mapping(()).get("schema") != 1 or not isinstance(settings, list):
        raise text.error((), "this is no file of earned settings", hint="move it away, or name another with --earned")
    for place, one in enumerate(settings):
        if not isinstance(one, dict) or not isinstance(one.get("scope"), dict) or "knob" not in one:
            raise text.error(("settings", place), "a setting has knob, value, scope and evidence", hint="see git diff")
    return settings


def _key(entry: Mapping[str, Any]) -> str:
    return json.dumps([entry["knob"], _plain(entry["scope"])], sort_keys=True, default=str)


def _plain(value: object) -> Any:  # noqa: ANN401 - JSON
    return json.loads(json.dumps(msgspec.to_builtins(value), default=str))


def _model(result: ExperimentResult) -> str | None:
    runs = (visit.result.run for visit in result.visits if visit.result is not None)
    return next((run.workload.options.model for run in runs), None)


def _workload_hash(experiment: Experiment) -> str:
    """Return a hash of what was sent: cells and options, not how often."""
    workload = experiment.workload
    content = {"cells": sorted(cell.label for cell in workload.cells), "options": msgspec.to_builtins(workload.options)}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:_HASH_LETTERS]

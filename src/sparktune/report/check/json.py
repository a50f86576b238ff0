"""The judgement as JSON, schema 1: ratios are the second arm / the first; what is absent is null with a why."""

__all__ = ["check_json"]

import json
from typing import Any

from sparktune.experiment.arms import ArmSummary, CellSummary
from sparktune.experiment.checks import all_table_checks
from sparktune.experiment.compare import Comparison
from sparktune.experiment.table_verdict import TableJudgement
from sparktune.model.check import CheckResult
from sparktune.model.table import Row
from sparktune.report.bench.words import finite
from sparktune.report.check.words import effect_words

_ONE_VALUE = "one value has no interval"


def check_json(judgement: TableJudgement) -> str:
    """Render the judgement."""
    return json.dumps(_check_record(judgement), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _check_record(judgement: TableJudgement) -> dict[str, Any]:
    """Return the judgement as what JSON can hold."""
    table = judgement.table
    titles = {check.id: check.title for check in all_table_checks()}
    effects = [_effect(found, judgement) for found in judgement.comparisons]
    two = len(judgement.arms) > 1
    return {
        "schema": 1,
        "source": table.source,
        "name": table.name,
        "verdict": judgement.verdict.value,
        "why": judgement.why,
        "takes": judgement.takes or None,
        "evaluated": len(judgement.evaluated),
        "unevaluated": len(judgement.unevaluated),
        "rows": len(table.rows),
        "arms": [_arm(arm, table.settings.get(arm.arm, {})) for arm in judgement.arms] if two else None,
        "effect": effects[0] if effects else None,
        **({} if effects else {"effect_why": "no cell that both arms have is left" if two else "there is one arm"}),
        "effects": effects,
        "observed": [_effect(found, judgement) for found in judgement.observed],
        "uncompared": [{"first": one.first, "second": one.second, "why": one.why} for one in judgement.uncompared],
        "cells": [_cell_summary(cell) for cell in judgement.cells],
        "excluded": [{**_cell(item.row), "rules": list(item.rules)} for item in judgement.excluded],
        "checks": [_check(check, titles) for check in judgement.checks],
        "facts": dict(table.facts),
        "notes": list(table.notes),
    }


def _arm(arm: ArmSummary, settings: Any) -> dict[str, Any]:  # noqa: ANN401 - a mapping of text
    return {
        "arm": arm.arm,
        "rows": arm.rows,
        "cells": arm.cells,
        "trials": arm.trials,
        **({"why": "the source does not say how many trials a row is"} if arm.trials is None else {}),
        "failed_requests": arm.failed,
        "metrics": {
            name: {"median": finite(s.median), "min": finite(s.minimum), "max": finite(s.maximum), "n": s.n}
            for name, s in arm.spreads.items()
        },
        "apart": [finite(value) for value in arm.apart],
        "outside": list(arm.outside),
        "settings": dict(settings),
    }


def _effect(found: Comparison, judgement: TableJudgement) -> dict[str, Any]:
    return {
        "metric": found.metric,
        "better": found.better.value,
        "first": found.first,
        "second": found.second,
        "ratio": finite(found.ratio),
        "low": finite(found.low),
        "high": finite(found.high),
        **({"why": _ONE_VALUE} if found.low is None else {}),
        "confidence": found.confidence,
        "median_ratio": finite(found.median_ratio),
        "paired_by": found.way.value,
        "n": found.units,
        "cells": found.cells,
        "trials": found.trials,
        "wins": found.wins,
        "medians": {arm: finite(value) for arm, value in found.medians.items()},
        "words": effect_words(found, judgement),
    }


def _cell(row: Row) -> dict[str, Any]:
    sizes = {
        "prompt_tokens": row.prompt_tokens,
        "output_tokens": row.output_tokens,
        "depth": row.depth,
        "concurrency": row.concurrency,
    }
    why = {"why": "null: the source does not tell"} if None in sizes.values() else {}
    return {"arm": row.arm, **sizes, **why, "label": row.label or row.prompt_id, "trial": row.trial}


def _cell_summary(cell: CellSummary) -> dict[str, Any]:
    shape = {key: value for key, value in _cell(cell.row).items() if key != "trial"}
    medians = {name: finite(value) for name, value in cell.values.items()}
    return {**shape, "n": cell.n, "medians": medians, "note": cell.row.note}


def _check(check: CheckResult, titles: dict[str, str]) -> dict[str, Any]:
    return {
        "id": check.id,
        "title": titles.get(check.id, ""),
        "status": check.status.value,
        "evidence": check.evidence,
        "hint": check.hint,
        "label": check.label,
    }

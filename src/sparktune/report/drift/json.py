"""Rows of drift as JSON, schema 1: each layer a plain value, null with the reason beside it where there is none.

``key`` is what people call it, and what ``drift restore`` takes; ``setting`` its normal name.
"""

__all__ = ["drift_json", "drift_json_line"]

import json
from collections.abc import Sequence
from typing import Any, Final

from sparktune.drift.compare import as_json
from sparktune.model.drift import DriftCell, DriftRow
from sparktune.model.observed import State
from sparktune.report.drift.verdict import verdict

_LAYERS: Final = ("earned", "file", "echoed", "live")


def drift_json(service: str, rows: Sequence[DriftRow]) -> str:
    """Return one object with all rows."""
    return json.dumps(_document(service, rows), indent=2, ensure_ascii=False) + "\n"


def drift_json_line(service: str, rows: Sequence[DriftRow]) -> str:
    """Return the same in one line, for a stream of them."""
    return json.dumps(_document(service, rows), ensure_ascii=False) + "\n"


def _document(service: str, rows: Sequence[DriftRow]) -> dict[str, Any]:
    return {"schema": 1, "service": service, "verdict": verdict(rows), "rows": [_row(row) for row in rows]}


def _row(row: DriftRow) -> dict[str, Any]:
    layers: dict[str, DriftCell | None] = {name: getattr(row, name) for name in _LAYERS}
    return {
        "key": row.key.removeprefix("env."),
        "setting": row.key,
        "node": row.node,
        **{name: _value(one) for name, one in layers.items()},
        "status": row.status.value,
        "also": [status.value for status in row.also],
        "aspect": row.aspect,
        "part": row.part,
        "why": row.why,
        "hint": row.hint,
        "survives": row.survives,
        "layers": {name: _layer(one) for name, one in layers.items()},
    }


def _value(one: DriftCell | None) -> Any:  # noqa: ANN401 - what the setting has
    return as_json(one.value) if one is not None and one.state is State.PRESENT else None


def _layer(one: DriftCell | None) -> dict[str, Any] | None:
    if one is None:
        return None
    return {"state": one.state.value, "text": one.text, "place": one.place, "why": one.why}

"""Read a run's JSON as this program writes it (``bench --json``, ``runs export``), schema 1.

Source: ``report/bench/json.py``. A metric's ``per_trial`` has one value per trial, null where it is unknown; the checks
of a cell are kept with its rows.
"""

__all__ = ["READER"]

from typing import Any

import msgspec

from sparktune.bench.imports._shared import Reader, SourceFile, decoded, number, starts_with_keys
from sparktune.errors import UsageError
from sparktune.model.check import CheckResult, Status
from sparktune.model.table import Row, Table

_HINT = "write it with: sparktune runs export RUN --save FILE.json, or bench --json"


class _Metric(msgspec.Struct, frozen=True, kw_only=True):
    median: float | None = None
    per_trial: tuple[float | None, ...] = ()


class _Check(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    status: str
    evidence: str = ""
    hint: str = ""
    label: str = ""


class _Cell(msgspec.Struct, frozen=True, kw_only=True):
    prompt_tokens: int | None  # null for a mix, whose requests have several lengths
    output_tokens: int
    concurrency: int
    depth: int = 0
    name: str = ""
    shape: dict[str, Any] | None = None
    trials: int = 0
    requests: int = 0
    failures: dict[str, int] = msgspec.field(default_factory=dict)
    metrics: dict[str, _Metric] = msgspec.field(default_factory=dict)
    checks: tuple[_Check, ...] = ()


class _Run(msgspec.Struct, frozen=True, kw_only=True):
    schema: int
    run: str
    cells: tuple[_Cell, ...]
    model: str = ""
    engine: dict[str, Any] = msgspec.field(default_factory=dict)
    notes: tuple[str, ...] = ()


def _table(file: SourceFile) -> Table:
    run = decoded(file, _Run, _HINT)
    if run.schema != 1:
        message = f"{file.name} has schema {run.schema}, this version reads schema 1"
        raise UsageError(message, hint="a newer sparktune wrote it: update this one")
    pool = number(run.engine.get("kv_pool_tokens"))
    return Table(
        source=READER.id,
        name=file.name,
        rows=tuple(row for cell in run.cells for row in _rows(cell)),
        facts={
            "run": run.run,
            "model": run.model,
            "engine": str(run.engine.get("name", "")),
            **({"kv_pool_tokens": f"{pool:g}"} if pool else {}),
        },
        notes=run.notes,
    )


def _rows(cell: _Cell) -> list[Row]:
    checks = tuple(
        CheckResult(
            id=check.id, status=Status(check.status), evidence=check.evidence, hint=check.hint, label=check.label
        )
        for check in cell.checks
        if check.status in {status.value for status in Status}
    )
    failed = float(sum(cell.failures.values()))
    trials = max((len(metric.per_trial) for metric in cell.metrics.values()), default=0)
    per_trial = max(1, cell.requests // max(1, trials))
    return [
        Row(
            prompt_tokens=None if cell.shape else cell.prompt_tokens,  # no wave: rules about waves say nothing of it
            output_tokens=cell.output_tokens,
            depth=cell.depth,
            concurrency=cell.concurrency,
            label=cell.name if cell.shape else "",  # cells of the same numbers with other arrivals are other cells
            trial=trial + 1,
            checks=checks,
            values={
                **_values(cell, trial),
                "requests": float(per_trial if trials else cell.requests),
                "failed_requests": failed if trial == 0 else 0.0,  # a cell tells the sum only
            },
        )
        for trial in range(max(1, trials))
    ]


def _values(cell: _Cell, trial: int) -> dict[str, float]:
    found = {name: metric.per_trial[trial] for name, metric in cell.metrics.items() if trial < len(metric.per_trial)}
    hidden = {"prompt_tokens"} if cell.shape else set()
    known = {name: value for name, value in found.items() if value is not None and name not in hidden}
    return {name: value for name, value in known.items() if number(value) is not None}


READER = Reader(
    id="sparktune",
    title="sparktune's own JSON (bench --json, runs export)",
    recognises=lambda file: b'"schema"' in file.data[:100] and starts_with_keys(file, b"run"),
    read=_table,
    order=15,
)

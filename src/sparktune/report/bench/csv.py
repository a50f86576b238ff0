"""Tidy CSV: one line per cell and metric, numbers in SI; an unknown number is an empty field with its reason beside."""

__all__ = ["COLUMNS", "write_csv"]

import csv
import io
from collections.abc import Iterator

from sparktune.model.check import Status
from sparktune.model.metric import MetricSummary
from sparktune.model.result import CellResult, RunResult
from sparktune.report.bench.words import finite, one_line, table_text, why_unknown

COLUMNS = (
    "run",
    "created_wall_s",
    "model",
    "engine",
    "engine_version",
    "prompt_tokens",
    "output_tokens",
    "depth",
    "concurrency",
    "valid",
    "invalid_checks",
    "trials",
    "requests",
    "failed",
    "metric",
    "unit",
    "median",
    "min",
    "max",
    "p90",
    "p99",
    "n",
    "trials_with_value",
    "why",
)


def write_csv(result: RunResult) -> str:
    """Render the result; a cell without any metric still has a line, with an empty metric.

    Where a cell is more than four numbers there is one column more, at the end: the cell's name.
    """
    named = any(not row.cell.is_plain for row in result.cells)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((*COLUMNS, "cell") if named else COLUMNS)
    for row in result.cells:
        about = _about(result, row)
        name = (table_text(row.cell.label),) if named else ()
        writer.writerows((*about, *_numbers(metric), *name) for metric in row.metrics)
        if not row.metrics:
            writer.writerow((*about, *("",) * (len(COLUMNS) - len(about) - 1), "no metric was computed", *name))
    return text.getvalue()


def _about(result: RunResult, row: CellResult) -> tuple[object, ...]:
    run, cell = result.run, row.cell
    return (
        table_text(run.id),
        run.created_wall_s,
        table_text(run.workload.options.model),
        table_text(run.engine.name),
        table_text(run.engine.version or ""),
        "" if cell.is_mix else cell.prompt_tokens,
        cell.output_tokens,
        cell.depth,
        cell.concurrency,
        str(row.valid).lower(),
        " ".join(check.id for check in row.checks if check.status is Status.INVALID),
        row.trials,
        row.requests,
        sum(row.failures.values()),
    )


def _numbers(metric: MetricSummary) -> Iterator[object]:
    numbers = (metric.median, metric.minimum, metric.maximum, metric.p90, metric.p99)
    yield one_line(metric.name)
    yield metric.unit
    yield from ("" if finite(number) is None else number for number in numbers)
    yield metric.n
    yield metric.trials
    yield why_unknown(metric)

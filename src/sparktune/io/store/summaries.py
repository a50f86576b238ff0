"""Rows about cells: how warm-up ended, and what the cell came to."""

__all__ = ["cold_rates", "newest_median", "read_warmups", "replace_results", "write_warmup"]

import sqlite3
from collections.abc import Iterator, Mapping

from sparktune.io.store.codec import from_json, plain_text, to_json
from sparktune.io.store.keys import cell_from, cell_key
from sparktune.model.cell import Cell
from sparktune.model.result import CellResult, RunResult
from sparktune.model.warmup import WarmupOutcome
from sparktune.units import Seconds, Tokens, TokensPerSecond

_COLD_PROMPT: Tokens = 2048  # shorter prompts measure overhead, not prefill
_RESULT = """
    INSERT INTO cell_results (run_id, prompt_tokens, output_tokens, depth, concurrency, shape, valid, trials,
                              requests, failed, label)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_METRIC = """
    INSERT INTO cell_metrics (run_id, prompt_tokens, output_tokens, depth, concurrency, shape, name, unit, median, n)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_COLD = """
    SELECT m.median FROM cell_metrics AS m
    JOIN cell_results AS c USING (run_id, prompt_tokens, output_tokens, depth, concurrency, shape)
    JOIN runs AS r ON r.id = m.run_id
    WHERE r.base_url = ? AND r.model = ? AND r.created_wall_s < ?
      AND c.valid AND m.name = 'prefill_tok_s' AND m.median IS NOT NULL
      AND m.shape = '' AND m.depth = 0 AND m.concurrency = 1 AND m.prompt_tokens >= ?
"""
_NEWEST = """
    SELECT m.median FROM cell_metrics AS m JOIN runs AS r ON r.id = m.run_id
    WHERE r.base_url = ? AND (prompt_tokens, output_tokens, depth, concurrency, shape) = (?, ?, ?, ?, ?)
      AND m.name = ? AND m.median IS NOT NULL
    ORDER BY r.created_wall_s DESC LIMIT 1
"""


def write_warmup(connection: sqlite3.Connection, run_id: str, cell: Cell, outcome: WarmupOutcome) -> None:
    """Keep how warm-up of a cell ended; a later one replaces it."""
    connection.execute(
        "INSERT OR REPLACE INTO warmups (run_id, prompt_tokens, output_tokens, depth, concurrency, shape, outcome)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (*cell_key(run_id, cell), to_json(outcome)),
    )


def read_warmups(connection: sqlite3.Connection, run_id: str) -> Mapping[Cell, WarmupOutcome]:
    """Return the outcomes by cell."""
    rows = connection.execute("SELECT * FROM warmups WHERE run_id = ?", (run_id,))
    return {cell_from(row): from_json(row["outcome"], WarmupOutcome) for row in rows}


def replace_results(connection: sqlite3.Connection, result: RunResult) -> None:
    """Write what each cell came to; the caller holds the transaction."""
    run_id = result.run.id
    connection.execute("DELETE FROM cell_metrics WHERE run_id = ?", (run_id,))
    connection.execute("DELETE FROM cell_results WHERE run_id = ?", (run_id,))
    connection.executemany(_RESULT, (_result_row(run_id, cell) for cell in result.cells))
    connection.executemany(_METRIC, _metric_rows(result))


def cold_rates(
    connection: sqlite3.Connection, base_url: str, model: str, before_wall_s: Seconds
) -> tuple[TokensPerSecond, ...]:
    """Return the cold prefill rates of earlier valid cells.

    Only long prompts without a context, one stream at a time: with more streams a request's prefill rate holds the
    time that it waited for the others.
    """
    values = (base_url, plain_text(model), before_wall_s, _COLD_PROMPT)
    return tuple(median for (median,) in connection.execute(_COLD, values))


def newest_median(connection: sqlite3.Connection, base_url: str, cell: Cell, name: str) -> float | None:
    """Return the median of a metric in the newest run that measured the cell at this address, or None."""
    row = connection.execute(_NEWEST, (*cell_key(base_url, cell), name)).fetchone()
    return None if row is None else float(row["median"])


def _result_row(run_id: str, cell: CellResult) -> tuple[object, ...]:
    failed = sum(cell.failures.values())
    return (*cell_key(run_id, cell.cell), cell.valid, cell.trials, cell.requests, failed, cell.label)


def _metric_rows(result: RunResult) -> Iterator[tuple[object, ...]]:
    for cell in result.cells:
        key = cell_key(result.run.id, cell.cell)
        for metric in cell.metrics:
            yield (*key, metric.name, metric.unit, metric.median, metric.n)

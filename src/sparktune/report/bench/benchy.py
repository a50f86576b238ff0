"""The shapes that llama-benchy writes, for people's existing scripts; what is not measured here is null or empty.

Source: llama-benchy 0.4.0, its benchmark report schema and its CSV header. Its rates and times in milliseconds are
means over requests or waves; ``values`` here are the medians of our trials, ``std`` is over them (ddof 0, as there).
Left out: ttfr begins at a role chunk and est_ppt subtracts a latency, which are no times of the model; a peak over a
sliding second reads high for short outputs. A ``sparktune`` member says where the numbers come from and whether a cell
is valid, which that shape has no field for.
"""

__all__ = ["write_benchy", "write_benchy_csv"]

import csv
import io
import json
import statistics
from collections.abc import Iterator

from sparktune.model.check import Status
from sparktune.model.engine import JsonValue
from sparktune.model.result import CellResult, RunResult
from sparktune.report.bench.markdown import row_names
from sparktune.report.bench.words import finite, table_text, utc

_Record = dict[str, JsonValue]
_MS_PER_S = 1000.0
_CSV_METRICS = ("t_s", "t_s_req", "peak_ts", "peak_ts_req", "ttfr", "est_ppt", "e2e_ttft")


def write_benchy(result: RunResult) -> str:
    """Render the result in the shape of llama-benchy's JSON report."""
    run = result.run
    cells = [row.cell for row in result.cells]
    report: _Record = {
        "version": f"sparktune {run.provenance.tool_version}",
        "timestamp": utc(run.created_wall_s),
        "latency_mode": "none",
        "latency_ms": 0.0,
        "model": run.workload.options.model,
        "prefix_caching_enabled": any(cell.depth > 0 for cell in cells),
        "max_concurrency": max((cell.concurrency for cell in cells), default=1),
        "benchmarks": [_benchmark(row) for row in result.cells],
        "sparktune": {"schema": 1, "run": run.id},
    }
    return json.dumps(report, indent=2, allow_nan=False) + "\n"


def write_benchy_csv(result: RunResult) -> str:
    """Render the result in the shape of llama-benchy's CSV: a row for the prompt and one for the output of a cell.

    One column is added at the end: whether the cell is valid.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ("model", "test_name", *(f"{name}_{end}" for name in _CSV_METRICS for end in ("mean", "std")), "valid")
    )
    with_streams = any(row.cell.concurrency > 1 for row in result.cells)
    model = table_text(result.run.workload.options.model)
    for row in result.cells:
        prompt, output = row_names(row, with_streams=with_streams)
        members = _benchmark(row)
        of_prompt = (
            members["pp_throughput"],
            members["pp_req_throughput"],
            None,
            None,
            None,
            None,
            members["e2e_ttft"],
        )
        of_output = (members["tg_throughput"], members["tg_req_throughput"], *(None,) * 5)
        for name, numbers in ((prompt, of_prompt), (output, of_output)):
            writer.writerow((model, name, *_mean_and_std(numbers), str(row.valid).lower()))
    return text.getvalue()


def _benchmark(row: CellResult) -> _Record:
    prefill = _values(row, "prefill_tok_s")
    return {
        "concurrency": row.cell.concurrency,
        "context_size": row.cell.depth,
        "prompt_size": None if row.cell.is_mix else row.cell.prompt_tokens,
        "response_size": row.cell.output_tokens,
        "is_context_prefill_phase": False,
        "pp_throughput": prefill,
        "pp_req_throughput": prefill if row.cell.concurrency == 1 else None,
        "tg_throughput": _values(row, "decode_total_tok_s"),
        "tg_req_throughput": _values(row, "decode_tok_s"),
        "peak_throughput": None,
        "peak_req_throughput": None,
        "ttfr": None,
        "est_ppt": None,
        "e2e_ttft": _values(row, "ttft_s", scale=_MS_PER_S),
        "throughput_over_time": None,
        "requests_throughput_over_time": None,
        "sparktune": {
            **({} if row.cell.is_plain else {"name": row.cell.label}),
            "valid": row.valid,
            "failures": dict(row.failures),
            "invalid_checks": [check.id for check in row.checks if check.status is Status.INVALID],
        },
    }


def _values(row: CellResult, name: str, *, scale: float = 1.0) -> JsonValue:
    metric = row.metric(name)
    trials = [finite(value) for value in metric.per_trial] if metric else []
    values = [value * scale for value in trials if value is not None]
    if not values:
        return None
    return {"mean": statistics.fmean(values), "std": statistics.pstdev(values), "values": list(values)}


def _mean_and_std(numbers: tuple[JsonValue, ...]) -> Iterator[JsonValue]:
    for number in numbers:
        yield from (number["mean"], number["std"]) if isinstance(number, dict) else ("", "")

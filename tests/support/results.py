"""Results made by hand, and strategies for any result: what the writers of reports are tested with."""

import statistics
from collections.abc import Mapping

from hypothesis import strategies as st
from tests.support.stored import cells, make_cell, make_run, outcomes, runs

from sparktune.model.cell import Cell
from sparktune.model.check import CheckResult, Status
from sparktune.model.metric import MetricSummary
from sparktune.model.result import CellResult, RunResult
from sparktune.model.run import Run
from sparktune.model.warmup import WarmupOutcome

UNITS = {
    "ttft_s": "s",
    "visible_ttft_s": "s",
    "tpot_s": "s",
    "step_latency_s": "s",
    "longest_stall_s": "s",
    "decode_tok_s": "tok/s",
    "output_tok_s": "tok/s",
    "decode_total_tok_s": "tok/s",
    "prefill_tok_s": "tok/s",
    "e2e_s": "s",
    "goodput_rps": "requests/s",
    "ttft_spread_s": "s",
    "ttft_gap_s": "s",
    "ttft_max_over_median": "1",
    "jain_decode": "1",
    "jain_ttft": "1",
    "decode_min_over_max": "share",
    "prefix_hit_share": "share",
    "preemptions": "requests",
    "kv_use_peak": "share",
    "acceptance_length": "tokens",
    "acceptance_per_position": "share",
    "tokens_per_chunk": "tokens",
}
"""The metrics of a bench and their units."""

TITLES = {
    "ttft_s": "TTFT",
    "ttft_spread_s": "TTFT spread",
    "decode_tok_s": "decode/stream",
    "output_tok_s": "output total",
    "prefill_tok_s": "prefill",
    "tpot_s": "TPOT",
}


def make_metric(
    name: str,
    per_trial: tuple[float | None, ...],
    *,
    unit: str = "",
    maximum: float | None = None,
    values_per_trial: int = 1,
    why: str = "",
    in_table: bool = True,
) -> MetricSummary:
    known = [value for value in per_trial if value is not None]
    return MetricSummary(
        name=name,
        title=TITLES.get(name, name),
        unit=unit or UNITS.get(name, "1"),
        median=statistics.median(known) if known else None,
        minimum=min(known) if known else None,
        maximum=(maximum if maximum is not None else max(known)) if known else None,
        n=len(known) * values_per_trial,
        trials=len(known),
        per_trial=per_trial,
        why=why,
        in_table=in_table,
    )


def make_check(check_id: str = "V01", status: Status = Status.OK, evidence: str = "as it should be") -> CheckResult:
    return CheckResult(id=check_id, status=status, evidence=evidence)


def make_cell_result(
    *,
    cell: Cell | None = None,
    trials: int = 3,
    trials_asked: int = 3,
    failures: Mapping[str, int] | None = None,
    metrics: tuple[MetricSummary, ...] = (),
    checks: tuple[CheckResult, ...] = (),
    valid: bool = True,
    warmup: WarmupOutcome | None = None,
    incomplete: int = 0,
    label: str = "",
) -> CellResult:
    shape = cell or make_cell()
    return CellResult(
        cell=shape,
        trials=trials,
        trials_asked=trials_asked,
        requests=trials * shape.concurrency,
        failures=failures or {},
        metrics=metrics,
        checks=checks,
        valid=valid,
        warmup=warmup,
        incomplete=incomplete,
        label=label,
    )


def make_result(
    *, run: Run | None = None, cells: tuple[CellResult, ...] | None = None, notes: tuple[str, ...] = ()
) -> RunResult:
    rows = (make_cell_result(),) if cells is None else cells
    return RunResult(run=run or make_run(cells=tuple(row.cell for row in rows)), cells=rows, notes=notes)


_FINITE = st.floats(allow_nan=False, allow_infinity=False, width=32)
_LINE = st.text(st.characters(codec="utf-8"), max_size=30)


@st.composite
def metric_summaries(draw: st.DrawFn, name: str | None = None) -> MetricSummary:
    chosen = name or draw(st.sampled_from(tuple(UNITS)) | st.from_regex(r"[a-z_]{1,20}", fullmatch=True))
    per_trial = tuple(draw(st.lists(st.none() | _FINITE, max_size=4)))
    return make_metric(
        chosen,
        per_trial,
        unit=UNITS.get(chosen, "1"),
        values_per_trial=draw(st.integers(min_value=1, max_value=500)),
        why=draw(_LINE),
        in_table=draw(st.booleans()),
    )


def cell_results() -> st.SearchStrategy[CellResult]:
    check = st.builds(
        CheckResult,
        id=st.sampled_from(("V01", "V02", "V14", "V99")),
        status=st.sampled_from(Status),
        evidence=_LINE,
        hint=_LINE,
        label=st.just(""),
    )
    return st.builds(
        CellResult,
        cell=cells(),
        trials=st.integers(min_value=0, max_value=9),
        trials_asked=st.integers(min_value=1, max_value=9),
        requests=st.integers(min_value=0, max_value=10_000),
        failures=st.dictionaries(st.sampled_from(("timeout", "http_status")), st.integers(1, 99), max_size=2),
        metrics=st.lists(metric_summaries(), max_size=6, unique_by=lambda metric: metric.name).map(tuple),
        checks=st.lists(check, max_size=3).map(tuple),
        valid=st.booleans(),
        warmup=st.none() | outcomes(),
        incomplete=st.integers(min_value=0, max_value=2),
        label=st.sampled_from(("", "queue-bound", "cold-prefill-bound")),
    )


def results() -> st.SearchStrategy[RunResult]:
    rows = st.lists(cell_results(), max_size=3, unique_by=lambda row: row.cell).map(tuple)
    return st.builds(RunResult, run=runs(), cells=rows, notes=st.lists(_LINE, max_size=3).map(tuple))

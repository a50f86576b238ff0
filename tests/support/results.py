"""Results made by hand, and strategies for any result: what the writers of reports are tested with."""

import statistics
from collections.abc import Mapping
from dataclasses import replace

from hypothesis import strategies as st
from tests.support.stored import cells, make_cell, make_run, outcomes

from sparktune.model.cell import Cell
from sparktune.model.check import CheckResult, Status
from sparktune.model.metric import MetricSummary
from sparktune.model.result import CellResult, RunResult
from sparktune.model.run import Run, RunState
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

_TITLES = {
    "ttft_s": "TTFT",
    "ttft_spread_s": "TTFT spread",
    "decode_tok_s": "decode tok/s",
    "output_tok_s": "output tok/s",
    "prefill_tok_s": "prefill tok/s",
    "tpot_s": "TPOT",
}
_NOTHING = (None, None, None)
_NOT_COUNTED = "the server told no token count for 128 of 128 streams"


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
        title=_TITLES.get(name, name),
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


def sample_result() -> RunResult:
    """Return a run with all that a report has to say: unknown numbers, failures, invalid cells, depth, many streams."""
    unseen = make_check("V01", Status.UNKNOWN, "the server does not say how many prompt tokens came from its cache")
    quiet = (make_check("V03"), make_check("V06"))
    cached = CheckResult(
        id="V01",
        status=Status.INVALID,
        evidence="91.4 % of 8,192 prompt tokens came from the prefix cache, 2.0 % are allowed",
        hint="restart the server, or send prompts that it has not seen",
    )
    busy = make_check("V14", Status.WARN, "the client used 93 % of a core")
    rows = (
        make_cell_result(
            metrics=_metrics(make_cell(), (0.2040, 0.2051, 0.2038), decode=(99.84, 99.71, 99.9)),
            checks=(*quiet, unseen),
            warmup=WarmupOutcome(waves=4, steady=True, spread=0.012),
        ),
        make_cell_result(
            cell=make_cell(2048, concurrency=4),
            metrics=_metrics(make_cell(concurrency=4), (0.804, 0.8051, 0.8038), decode=(59.8, 59.7, 59.9)),
            checks=(*quiet, unseen),
            failures={"http_status": 2, "timeout": 1},
            label="cold-prefill-bound",
        ),
        make_cell_result(
            cell=make_cell(2048, depth=32768, concurrency=4),
            metrics=_metrics(make_cell(concurrency=4), (0.0904, 0.0951, 0.0938), decode=(58.8, 58.7, 58.9)),
            checks=(*quiet, cached, busy),
            valid=False,
        ),
        make_cell_result(
            cell=make_cell(131072, 1024, 32768, 128),
            metrics=_metrics(make_cell(concurrency=128), (80.43, 81.2, None), decode=_NOTHING),
            checks=(*quiet, unseen),
            trials=2,
            incomplete=1,
        ),
        make_cell_result(cell=make_cell(64, 64), metrics=_metrics(make_cell(), _NOTHING, decode=_NOTHING), trials=0),
    )
    notes = ("arrival stamps come from the kernel", "tokens were counted from usage, one per chunk")
    run = replace(make_run(cells=tuple(row.cell for row in rows)), state=RunState.INTERRUPTED)
    return make_result(run=run, cells=rows, notes=notes)


def _metrics(
    cell: Cell, ttft: tuple[float | None, ...], *, decode: tuple[float | None, ...]
) -> tuple[MetricSummary, ...]:
    streams = cell.concurrency
    late = tuple(value and value * 0.25 for value in ttft) if streams > 1 else _NOTHING
    alone = "one stream has nothing to be compared with"
    never = "no trial finished"
    slow = max((value for value in ttft if value), default=None)
    highest = slow * 1.07 if slow else None
    missing = never if slow is None else _NOT_COUNTED
    total = tuple(value and value * streams * 0.98 for value in decode)
    prefill = tuple(value and 512 * streams / value for value in ttft)
    pause = tuple(value and 1 / value for value in decode)
    some = "" if all(ttft) else "1 of 3 trials gave no value: a stream of the wave sent no output"
    return (
        make_metric("ttft_s", ttft, maximum=highest, values_per_trial=streams, why=some if slow else never),
        make_metric("tpot_s", pause, values_per_trial=streams, why="" if all(pause) else missing, in_table=False),
        make_metric("decode_tok_s", decode, values_per_trial=streams, why="" if all(decode) else missing),
        make_metric("output_tok_s", total, why="" if all(decode) else missing),
        make_metric("decode_total_tok_s", total, why="" if all(decode) else missing, in_table=False),
        make_metric("prefill_tok_s", prefill, why=some if slow else never),
        make_metric("ttft_spread_s", late, why=alone if streams == 1 else some),
    )


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
    any_text = st.text(max_size=10)  # lone surrogates and control characters too: a server chooses these words
    run = st.builds(make_run, model=any_text, base_url=any_text, argv=st.tuples(any_text))
    return st.builds(RunResult, run=run, cells=rows, notes=st.lists(any_text, max_size=2).map(tuple))

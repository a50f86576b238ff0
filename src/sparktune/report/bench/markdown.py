"""A table to paste into a forum or a pull request; its rows carry the names that llama-benchy gave them.

Source: row names ``pp2048 @ d4096 (c2)`` and ``tg32 @ d4096 (c2)``, llama-benchy 0.4.0. The columns are our own where
that tool's number would be another one: no ttfr, no est_ppt, no peak.
"""

__all__ = ["row_names", "write_markdown"]

from collections.abc import Iterator, Sequence

from sparktune.model.result import CellResult, RunResult
from sparktune.report.bench.findings import failures, findings, flags, gaps, verdict
from sparktune.report.bench.words import NOT_APPLICABLE, engine_words, metric_words, utc, value_words
from sparktune.report.markdown import escaped, titled_list

_HEADS = (
    ("model", ":---"),
    ("test", "---:"),
    ("t/s (total)", "---:"),
    ("t/s (req)", "---:"),
    ("output t/s", "---:"),
    ("TTFT", "---:"),
    ("TTFT max", "---:"),
    ("TTFT spread", "---:"),
    ("TPOT", "---:"),
    ("trials/requests", "---:"),
    ("flags", ":---"),
)
_LEGEND = (
    "Medians over trials, in brackets the range of the trials. pp: prompt tokens computed per second until every stream"
    " had its first output. tg: tokens after the first output chunk, all streams together and per stream. output t/s:"
    " all tokens of a wave over its whole time. TTFT: from the send to the first output of any kind."
)


def write_markdown(result: RunResult) -> str:
    """Render the result as GitHub-flavoured Markdown."""
    return "\n".join(_lines(result)) + "\n"


def row_names(row: CellResult, *, with_streams: bool) -> tuple[str, str]:
    """Return llama-benchy's names of a cell's two rows, for its prompt and for its output; our own name of a mix."""
    if row.cell.is_mix:
        return f"{row.cell.label} (prompts)", f"{row.cell.label} (output)"
    depth = f" @ d{row.cell.depth}" if row.cell.depth else ""
    streams = f" (c{row.cell.concurrency})" if with_streams else ""
    streams += f" {row.cell.arrivals.label}" if row.cell.arrivals.label else ""
    return f"pp{row.cell.prompt_tokens}{depth}{streams}", f"tg{row.cell.output_tokens}{depth}{streams}"


def _lines(result: RunResult) -> Iterator[str]:
    run = result.run
    yield f"**{escaped(verdict(result))}**"
    yield ""
    about = (engine_words(run.engine), f"sparktune {run.provenance.tool_version}", utc(run.created_wall_s))
    yield escaped(f"{run.workload.options.model} on {', '.join(about)}, run {run.id}")
    if result.cells:
        yield ""
        yield from _table(result)
        yield ""
        yield _LEGEND
    checks = [
        f"{found.ids} {found.status.value} in {found.where}: {'; '.join(found.lines)}" for found in findings(result)
    ]
    yield from titled_list("Checks", checks)
    yield from titled_list("Unknown", [f"{gap.titles} ({gap.where}): {gap.why}" for gap in gaps(result)])
    yield from titled_list("Failed requests", failures(result))
    yield from titled_list("Notes", result.notes)


def _table(result: RunResult) -> Iterator[str]:
    yield _row(head for head, _ in _HEADS)
    yield _row(rule for _, rule in _HEADS)
    with_streams = any(row.cell.concurrency > 1 for row in result.cells)
    model = escaped(result.run.workload.options.model)
    for row in result.cells:
        # The name of a file of prompts is the user's.
        prompt, output = map(escaped, row_names(row, with_streams=with_streams))
        counts = (f"{row.trials}/{row.requests}", escaped(flags(row)))
        yield _row((model, prompt, *_prompt_texts(row), *counts))
        yield _row((model, output, *_output_texts(row), *counts))


def _row(texts: Iterator[str] | Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _prompt_texts(row: CellResult) -> tuple[str, ...]:
    prefill = _median(row, "prefill_tok_s")
    # Per request a rate would hold the wait for the other prompts.
    each = prefill if row.cell.concurrency == 1 else NOT_APPLICABLE
    ttft = row.metric("ttft_s")
    highest = metric_words(ttft, ttft.maximum if ttft else None, row.cell)
    return (
        prefill,
        each,
        NOT_APPLICABLE,
        _median(row, "ttft_s"),
        highest,
        _median(row, "ttft_spread_s"),
        NOT_APPLICABLE,
    )


def _output_texts(row: CellResult) -> tuple[str, ...]:
    rates = (_median(row, name) for name in ("decode_total_tok_s", "decode_tok_s", "output_tok_s"))
    return (*rates, *(NOT_APPLICABLE,) * 3, _median(row, "tpot_s"))


def _median(row: CellResult, name: str) -> str:
    metric = row.metric(name)
    text = metric_words(metric, metric.median if metric else None, row.cell)
    trials = sorted(value for value in metric.per_trial if value is not None) if metric else []
    if metric is None or not trials[1:]:
        return text
    return f"{text} ({value_words(trials[0], metric.unit)} to {value_words(trials[-1], metric.unit)})"

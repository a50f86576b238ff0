"""What the demo's reader sees: a sentence from the numbers, none without them."""

__all__ = ["reading"]

from sparktune.model.result import CellResult, RunResult
from sparktune.units import format_rate, format_seconds


def reading(result: RunResult) -> str:
    """Compare the cell with the fewest streams to the one with the most, in words; "" when nothing can be said."""
    rows = sorted(result.cells, key=lambda row: row.cell.concurrency)
    if not rows or rows[0].cell.concurrency == rows[-1].cell.concurrency:
        return ""
    alone, crowd = rows[0], rows[-1]
    clauses = [
        _clause(alone, crowd, "output_tok_s", "the server wrote {ratio} times the tokens per second in all"),
        _clause(alone, crowd, "decode_tok_s", "each stream wrote at {ratio} times the speed"),
        _clause(alone, crowd, "ttft_s", "the first token took {ratio} times as long"),
    ]
    told = [clause for clause in clauses if clause]
    if not told:
        return ""
    begin = f"With {crowd.cell.concurrency} streams at once instead of {alone.cell.concurrency}"
    return f"{begin}, {_enumerate(told)}."


def _clause(alone: CellResult, crowd: CellResult, name: str, words: str) -> str:
    first, last = alone.metric(name), crowd.metric(name)
    if first is None or last is None or not first.median or last.median is None:
        return ""
    write = format_seconds if first.unit == "s" else format_rate
    ratio = f"{last.median / first.median:.2g}"
    return f"{words.format(ratio=ratio)} ({write(first.median)} -> {write(last.median)})"


def _enumerate(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])}, and {parts[-1]}"

"""What the demo's reader sees: sentences from the numbers, none without them."""

__all__ = ["ab_reading", "reading"]

from collections.abc import Sequence
from statistics import median

from sparktune.experiment.blocks import complete_blocks, trial_values
from sparktune.experiment.design import Arm
from sparktune.experiment.result import ExperimentResult
from sparktune.experiment.verdict import Verdict
from sparktune.model.result import CellResult, RunResult
from sparktune.units import format_rate, format_seconds

_DECIDED = frozenset({Verdict.IMPROVED, Verdict.REGRESSED, Verdict.EQUIVALENT})
_BUSY = (
    "What it means: on this machine, as busy as it is now, blocks differ too much to tell the two apart. "
    "That is an answer, too; try again when it is quieter."
)


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


def ab_reading(result: ExperimentResult) -> tuple[str, ...]:
    """Say what the demo's experiment shows, for somebody who sees one for the first time."""
    return tuple(line for line in (_shown(result), _single_trials(result)) if line)


def _shown(result: ExperimentResult) -> str:
    if result.verdict is Verdict.INCONCLUSIVE:
        return _BUSY
    before, after = (_usual(result, arm, "ttft_max_s") for arm in Arm)
    if result.verdict not in _DECIDED or before is None or after is None:
        return ""
    slower, faster = format_seconds(before), format_seconds(after)
    wait = f"in arm B the agent that waits longer has its first token after {faster}, in arm A after {slower}"
    before, after = (_usual(result, arm, "decode_min_tok_s") for arm in Arm)
    if before is None or after is None:
        return f"What it means: {wait}."
    pace = f"while two are answered at once, the slower writes {format_rate(after)} tokens a second"
    costs = "What it costs" if after < before else "What it costs does not show in these blocks"
    return f"What it means: {wait}. {costs}: {pace}, in arm A, one after the other, {format_rate(before)}."


def _usual(result: ExperimentResult, arm: Arm, metric: str) -> float | None:
    """Return the median over the blocks that count of the visits' medians; None where one is not known."""
    visits = [pair[arm].result for pair in complete_blocks(result.visits).values()]
    series = [values for one in visits if one is not None for values in trial_values(one, metric).values()]
    return median(map(median, series)) if series else None


def _single_trials(result: ExperimentResult) -> str:
    """The same setting, measured once and once more: why a first trial is no verdict."""
    metric = result.experiment.primary.metric
    values: Sequence[float] = [
        value
        for pair in complete_blocks(result.visits).values()
        if (found := pair[Arm.A].result) is not None
        for series in trial_values(found, metric).values()
        for value in series
    ]
    if len(values) < len(Arm):
        return ""
    least, most = format_seconds(min(values)), format_seconds(max(values))
    return (
        f"Single trials of arm A, always the same setting, lie between {least} and {most}: one of them proves nothing."
    )


def _clause(alone: CellResult, crowd: CellResult, name: str, words: str) -> str:
    first, last = alone.metric(name), crowd.metric(name)
    if first is None or last is None or not first.median or last.median is None:
        return ""
    write = format_seconds if first.unit == "s" else format_rate
    ratio = f"{last.median / first.median:.2g}"
    return f"{words.format(ratio=ratio)} ({write(first.median)} -> {write(last.median)})"


def _enumerate(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])}, and {parts[-1]}"

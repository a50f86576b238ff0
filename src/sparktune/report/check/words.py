"""What an effect and a cell are called; shared by the forms of a judgement."""

__all__ = ["change_words", "effect_words", "metric_title", "reach_words", "shape_words"]

from sparktune.experiment.compare import Comparison, Way
from sparktune.experiment.rules import ANECDOTE_BELOW
from sparktune.experiment.table_verdict import TableJudgement, TableVerdict
from sparktune.model.check import Status
from sparktune.model.table import Row
from sparktune.units import format_percent

_TITLES = {
    "output_tok_s": "output tok/s",
    "decode_tok_s": "decode tok/s",
    "decode_total_tok_s": "decode tok/s of all",
    "ttft_s": "TTFT",
    "ttft_spread_s": "TTFT spread",
    "prefill_tok_s": "prefill tok/s",
}
_LARGEST = 1e6


def metric_title(metric: str) -> str:
    """Return a metric's name for a person."""
    return _TITLES.get(metric, metric)


def change_words(ratio: float) -> str:
    """Return a ratio as a change in percent; what is beyond a million times is not worth digits."""
    return format_percent(ratio - 1, signed=True) if ratio < _LARGEST else "far more"


def effect_words(found: Comparison, judgement: TableJudgement) -> str:
    """Say in words what an effect is worth."""
    if found.low is None:
        return "an anecdote, one value is all that an arm has"
    if found.lacking:
        return "of what went well alone"
    if not found.detectable:
        few = _few(found)
        return f"no detectable effect{f', {few}' if few else ''}"
    if any(check.label == "confounded" for check in judgement.checks):
        return "confounded: not the effect of one setting"
    if _few(found):
        return f"an anecdote, {_few(found)}"
    words = "better" if found.improved else "worse"
    return f"{words}, but of how many trials is not told" if found.trials is None else words


def _few(found: Comparison) -> str:
    if found.way is Way.CELLS and found.trials is not None and found.units < ANECDOTE_BELOW:
        return f"{found.units} cells, each told as one value"
    if found.trials is None or found.trials >= ANECDOTE_BELOW or found.way is Way.PROMPTS:
        return ""
    return f"{found.trials} trial{'' if found.trials == 1 else 's'} per arm"


def reach_words(judgement: TableJudgement) -> str:
    """Return the verdict with how many rules it rests on: of few, VALID says little."""
    word, asked = judgement.verdict.value, len(judgement.evaluated)
    of_all, unasked = f"{asked} of {len(judgement.checks)} rules", len(judgement.unevaluated)
    if judgement.verdict is TableVerdict.VALID:
        return f"{word} by {of_all}" + (f"; {unasked} could not be evaluated, see below" if unasked else "")
    invalid = ", ".join(check.id for check in judgement.checks if check.status is Status.INVALID)
    rest = f", {unasked} could not, see below" if unasked else ""
    return f"{word}{f' by {invalid}' if invalid else ''}; {of_all} could be evaluated{rest}"


def shape_words(row: Row) -> str:
    """Name a row without its streams: arm, label, prompt, depth."""
    parts = [
        row.arm,
        row.label or row.prompt_id,
        f"{row.prompt_tokens} tokens" if row.prompt_tokens is not None and not row.prompt_id else "",
        f"at depth {row.depth}" if row.depth else "",
    ]
    return " ".join(part for part in parts if part) or "all rows"

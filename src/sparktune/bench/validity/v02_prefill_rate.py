"""V02: prompts were read faster than this server reads prompts, which only an unseen cache can do.

Looks at: the implied prefill rate of each wave, prompt tokens / (last first-output - first send); without depth all
    prompt tokens count, whatever the server says about its cache; with depth those that were not cached.
Warns when: the rate exceeds 1.5 times that of earlier runs, and the server itself says that the prompts were not
    cached: then the server became faster.
Invalid when: the rate of a wave exceeds 1.5 times the median rate of the run's other cells without depth whose prompts
    are no longer than this one's, and have 2048 tokens at least; or, where there is no such cell, 1.5 times what
    earlier runs of this endpoint and model reached.
Unknown when: the prompt has fewer than 2048 tokens (overhead and attention make rates of short prompts incomparable);
    there is neither such a cell nor an earlier run; or prompt tokens, first outputs or (with depth) cached tokens are
    not known.
Source: the time for a prompt grows at least linearly with it, and attention makes it grow faster, so that a longer
    prompt is not read at a higher rate than a shorter one (the reverse is normal: a small model read 128 tokens at
    twice the rate of 2048). Published "speed-ups" of 2 to 26 times turned out to be prefix cache hits.
"""

__all__ = ["CHECK"]

from collections.abc import Sequence
from statistics import median

from sparktune.bench.validity._shared import FEWEST_PROMPT_TOKENS, Finding, make_check, over_trials, plural
from sparktune.bench.waves import cached_tokens, prefill_span_s, prompt_tokens
from sparktune.model.check import CellEvidence, RunEvidence, Status
from sparktune.model.trial import Trial
from sparktune.units import Ratio, TokensPerSecond, format_rate

_FASTEST: Ratio = 1.5
_NEGLIGIBLE_SHARE: Ratio = 0.02
_HINT = "clear the server's prefix cache or restart it; if the server really became faster, say so in the run's notes"


def _judge(cell: CellEvidence, run: RunEvidence) -> Sequence[Finding]:
    if cell.cell.total_prompt_tokens < FEWEST_PROMPT_TOKENS:
        told = f"judged from {FEWEST_PROMPT_TOKENS} prompt tokens on, this cell has {cell.cell.total_prompt_tokens}"
        return [Finding(status=Status.UNKNOWN, evidence=told)]
    others = _rates_of_others(cell, run)
    if others:
        source = f"the median of {plural(len(others), 'other cell')}"
        reference = median(others)
        return [over_trials(cell, lambda trial: _compare(trial, reference, source, Status.INVALID))]
    earlier = run.cold_reference_tok_s
    if earlier is not None:
        return [over_trials(cell, lambda trial: _compare(trial, earlier, "earlier runs", _if_earlier(trial)))]
    evidence = (
        f"no other cell with {FEWEST_PROMPT_TOKENS} to {cell.cell.total_prompt_tokens} prompt tokens, no earlier run"
    )
    hint = f"measure a cell with {FEWEST_PROMPT_TOKENS} prompt tokens and no depth in the same run"
    return [Finding(status=Status.UNKNOWN, evidence=evidence, hint=hint)]


def _rates_of_others(cell: CellEvidence, run: RunEvidence) -> tuple[TokensPerSecond, ...]:
    rates = []
    for other in run.cells:
        comparable = FEWEST_PROMPT_TOKENS <= other.cell.prompt_tokens <= cell.cell.total_prompt_tokens
        if other.cell == cell.cell or other.cell.depth or not comparable:
            continue
        # A reference must be honest, so cached tokens are left out where they are known.
        known = [rate for trial in other.trials if (rate := _rate(trial, without_cached=True)) is not None]
        if known:
            rates.append(median(known))
    return tuple(rates)


def _compare(trial: Trial, reference: TokensPerSecond, source: str, status: Status) -> Finding:
    rate = _rate(trial, without_cached=trial.cell.depth > 0)
    if rate is None:
        evidence = "the implied prefill rate is not known: prompt tokens, cached tokens or a first output are missing"
        return Finding(status=Status.UNKNOWN, evidence=evidence)
    ratio = rate / reference
    evidence = f"implied prefill {format_rate(rate)} tok/s, {ratio:.2f} times {format_rate(reference)} of {source}"
    if ratio > _FASTEST:
        return Finding(status=status, evidence=evidence, hint=_HINT, weight=ratio)
    return Finding(status=Status.OK, evidence=evidence, weight=ratio)


def _if_earlier(trial: Trial) -> Status:
    cached, prompt = cached_tokens(trial), prompt_tokens(trial)
    is_cold = cached is not None and prompt is not None and cached.tokens <= _NEGLIGIBLE_SHARE * prompt
    return Status.WARN if is_cold else Status.INVALID


def _rate(trial: Trial, *, without_cached: bool) -> TokensPerSecond | None:
    prompt, span, cached = prompt_tokens(trial), prefill_span_s(trial), cached_tokens(trial)
    if prompt is None or span is None or span <= 0:
        return None
    if not without_cached:
        return prompt / span
    if cached is None:
        return None if trial.cell.depth else prompt / span
    return max(0.0, prompt - cached.tokens) / span


CHECK = make_check("V02", "prefill rate possible", _judge)

"""V02: prompts were read faster than this server reads prompts, which only an unseen cache can do.

Looks at: the implied prefill rate of each wave, prompt tokens / time in which a stream waited for its first output;
    without depth all prompt tokens count, whatever the server says about its cache; with depth those that were not
    cached.
Warns when: the rate exceeds 1.5 times that of the run's other cells or of earlier runs, and nothing else speaks for a
    cache: larger batches make a long prompt faster, too, and the server may have become faster since. Or when only
    cells of fewer streams can be compared with, and reading the prompts of the additional streams at the same time
    (several replicas, a larger batch) would explain the rate.
Invalid when: the rate of a wave exceeds 1.5 times the median rate of the run's other cells without depth whose prompts
    are no longer than this one's, and have 2048 tokens at least - cells of as many streams or more, where there are
    any - or, where there is no such cell, what earlier runs of this endpoint and model reached; and the server tells of
    cached tokens; or the rate, or that of another cell of this run, exceeds 4 times that of the run's other cells.
Unknown when: the prompt has fewer than 2048 tokens (overhead and attention make rates of short prompts incomparable);
    there is neither such a cell nor an earlier run; prompts share prefixes on purpose; or prompt tokens, first outputs
    or (with depth) cached tokens are not known.
Source: arithmetic of the transformer: the time for a prompt grows at least linearly with it, and attention makes it
    grow faster, so that a longer prompt is not read at a higher rate than a shorter one. The reverse is normal.
"""

__all__ = ["CHECK"]

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from sparktune.bench.validity._shared import FEWEST_PROMPT_TOKENS, TOO_SHORT, WARM, Finding, make_check, over_trials
from sparktune.bench.waves import cached_tokens, prefill_span_s, prompt_tokens
from sparktune.model.check import CellEvidence, RunEvidence, Status
from sparktune.model.trial import Trial
from sparktune.units import Ratio, TokensPerSecond, count_of, format_rate

_FASTEST: Ratio = 1.5
_BEYOND: Ratio = 4.0  # in cold tables of clusters the rate of long prompts is within 1.1 times that of 2048 tokens
_NEGLIGIBLE_SHARE: Ratio = 0.02
_HINT = (
    "clear the server's prefix cache or restart it; if it really became faster, a run of its own with a second cell, "
    "for instance --pp 2048,8192, shows it"
)
_ALONE = f"no other cell without depth and with {FEWEST_PROMPT_TOKENS} prompt tokens or more, no earlier run"
_ALONE_HINT = "add a second cell without depth, for instance --pp 2048,8192"
_PARALLEL_HINT = (
    "prompts read at the same time (several replicas?) or cached ones: add a longer prompt at this concurrency"
)


@dataclass(frozen=True, slots=True)
class _Reference:
    """A rate to compare with; up to ``parallel`` times it, a higher rate may come from streams read at once."""

    rate: TokensPerSecond
    source: str
    parallel: Ratio = 1.0


def _judge(cell: CellEvidence, run: RunEvidence) -> Sequence[Finding]:
    if cell.cell.is_warm:
        return [Finding(status=Status.UNKNOWN, evidence=WARM)]
    if cell.cell.total_prompt_tokens < FEWEST_PROMPT_TOKENS:
        return [Finding(status=Status.UNKNOWN, evidence=TOO_SHORT)]
    reference = _reference_of_others(cell, run)
    if reference is not None:
        beyond = 0.0 if _is_cached_elsewhere(cell, run, reference) else _BEYOND
        return [over_trials(cell, lambda trial: _compare(trial, reference, beyond))]
    if run.cold_reference_tok_s is not None:
        # A setting, or a new version, can make a server faster than it was by any factor.
        earlier = _Reference(run.cold_reference_tok_s, "earlier runs")
        return [over_trials(cell, lambda trial: _compare(trial, earlier, math.inf))]
    return [Finding(status=Status.UNKNOWN, evidence=_ALONE, hint=_ALONE_HINT)]


def _reference_of_others(cell: CellEvidence, run: RunEvidence) -> _Reference | None:
    rates = [(other.cell.concurrency, rate) for other in run.cells if (rate := _rate_of_other(cell, other)) is not None]
    if not rates:
        return None
    streams = cell.cell.concurrency
    alike = [rate for concurrency, rate in rates if concurrency >= streams]
    if alike:
        return _Reference(median(alike), f"the median of {count_of(len(alike), 'other cell')}")
    most = max(concurrency for concurrency, _ in rates)
    nearest = [rate for concurrency, rate in rates if concurrency == most]
    source = f"the median of {count_of(len(nearest), 'other cell')} with {count_of(most, 'stream')}"
    return _Reference(median(nearest), source, parallel=streams / most)


def _rate_of_other(cell: CellEvidence, other: CellEvidence) -> TokensPerSecond | None:
    comparable = FEWEST_PROMPT_TOKENS <= other.cell.prompt_tokens <= cell.cell.total_prompt_tokens
    if other.cell == cell.cell or other.cell.depth or other.cell.is_mix or not comparable:
        return None
    # A reference must be honest, so cached tokens are left out where they are known.
    known = [rate for trial in other.trials if (rate := _rate(trial, without_cached=True)) is not None]
    return median(known) if known else None


def _is_cached_elsewhere(cell: CellEvidence, run: RunEvidence, reference: _Reference) -> bool:
    """Tell whether another cell of this run was read at a rate that no larger batch explains."""
    others = [
        other
        for other in run.cells
        if other.cell != cell.cell
        and not (other.cell.depth or other.cell.is_mix)
        and cell.cell.prompt_tokens <= other.cell.prompt_tokens
        and other.cell.concurrency <= cell.cell.concurrency
    ]
    rates = [rate for other in others for trial in other.trials if (rate := _rate(trial, without_cached=False))]
    return max(rates, default=0.0) > _BEYOND * reference.rate * reference.parallel


def _compare(trial: Trial, reference: _Reference, beyond: Ratio) -> Finding:
    rate = _rate(trial, without_cached=trial.cell.depth > 0)
    if rate is None:
        evidence = "the implied prefill rate is not known: prompt tokens, cached tokens or a first output are missing"
        return Finding(status=Status.UNKNOWN, evidence=evidence)
    ratio = rate / reference.rate
    evidence = (
        f"implied prefill {format_rate(rate)} tok/s, {ratio:.2f} times {format_rate(reference.rate)} of "
        f"{reference.source}"
    )
    if ratio > _FASTEST * reference.parallel:
        if _is_cached(trial) or ratio > beyond * reference.parallel:
            return Finding(status=Status.INVALID, evidence=evidence, hint=_HINT, weight=ratio)
        evidence += "; nothing else speaks for a cache: a larger batch or a faster server would do the same"
        return Finding(status=Status.WARN, evidence=evidence, hint=_HINT, weight=ratio)
    if ratio > _FASTEST:
        return Finding(status=Status.WARN, evidence=evidence, hint=_PARALLEL_HINT, weight=ratio)
    return Finding(status=Status.OK, evidence=evidence, weight=ratio)


def _is_cached(trial: Trial) -> bool:
    """Tell whether the server itself counts cached tokens; with depth they are meant to be there, and left out."""
    cached, prompt = cached_tokens(trial), prompt_tokens(trial)
    if cached is None or prompt is None or trial.cell.depth:
        return False
    return cached.tokens > _NEGLIGIBLE_SHARE * prompt


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

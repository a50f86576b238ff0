"""V02: prompts were read faster than this server reads prompts, which only an unseen cache can do.

Looks at: the implied prefill rate of each wave, prompt tokens / time in which a stream waited for its first output;
    without depth all prompt tokens count, whatever the server says about its cache; with depth those that were not
    cached.
Warns when: the rate exceeds 1.5 times that of earlier runs, and the server itself says that the prompts were not
    cached: then the server became faster. Or when only cells of fewer streams can be compared with, and reading the
    prompts of the additional streams at the same time (several replicas, a larger batch) would explain the rate.
Invalid when: the rate of a wave exceeds 1.5 times the median rate of the run's other cells without depth whose prompts
    are no longer than this one's, and have 2048 tokens at least - cells of as many streams or more, where there are
    any; or, where there is no such cell, 1.5 times what earlier runs of this endpoint and model reached.
Unknown when: the prompt has fewer than 2048 tokens (overhead and attention make rates of short prompts incomparable);
    there is neither such a cell nor an earlier run; prompts share prefixes on purpose; or prompt tokens, first outputs
    or (with depth) cached tokens are not known.
Source: arithmetic of the transformer: the time for a prompt grows at least linearly with it, and attention makes it
    grow faster, so that a longer prompt is not read at a higher rate than a shorter one. The reverse is normal.
"""

__all__ = ["CHECK"]

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from sparktune.bench.validity._shared import (
    FEWEST_PROMPT_TOKENS,
    TOO_SHORT,
    WARM,
    Finding,
    make_check,
    over_trials,
    plural,
)
from sparktune.bench.waves import cached_tokens, prefill_span_s, prompt_tokens
from sparktune.model.check import CellEvidence, RunEvidence, Status
from sparktune.model.trial import Trial
from sparktune.units import Ratio, TokensPerSecond, format_rate

_FASTEST: Ratio = 1.5
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
        return [over_trials(cell, lambda trial: _compare(trial, reference, Status.INVALID))]
    if run.cold_reference_tok_s is not None:
        earlier = _Reference(run.cold_reference_tok_s, "earlier runs")
        return [over_trials(cell, lambda trial: _compare(trial, earlier, _if_earlier(trial)))]
    return [Finding(status=Status.UNKNOWN, evidence=_ALONE, hint=_ALONE_HINT)]


def _reference_of_others(cell: CellEvidence, run: RunEvidence) -> _Reference | None:
    rates = [(other.cell.concurrency, rate) for other in run.cells if (rate := _rate_of_other(cell, other)) is not None]
    if not rates:
        return None
    streams = cell.cell.concurrency
    alike = [rate for concurrency, rate in rates if concurrency >= streams]
    if alike:
        return _Reference(median(alike), f"the median of {plural(len(alike), 'other cell')}")
    most = max(concurrency for concurrency, _ in rates)
    nearest = [rate for concurrency, rate in rates if concurrency == most]
    source = f"the median of {plural(len(nearest), 'other cell')} with {plural(most, 'stream')}"
    return _Reference(median(nearest), source, parallel=streams / most)


def _rate_of_other(cell: CellEvidence, other: CellEvidence) -> TokensPerSecond | None:
    comparable = FEWEST_PROMPT_TOKENS <= other.cell.prompt_tokens <= cell.cell.total_prompt_tokens
    if other.cell == cell.cell or other.cell.depth or other.cell.is_mix or not comparable:
        return None
    # A reference must be honest, so cached tokens are left out where they are known.
    known = [rate for trial in other.trials if (rate := _rate(trial, without_cached=True)) is not None]
    return median(known) if known else None


def _compare(trial: Trial, reference: _Reference, status: Status) -> Finding:
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
        return Finding(status=status, evidence=evidence, hint=_HINT, weight=ratio)
    if ratio > _FASTEST:
        return Finding(status=Status.WARN, evidence=evidence, hint=_PARALLEL_HINT, weight=ratio)
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

"""How a metric's formula over one stream, one wave or the server's counters becomes a ``Metric.compute``.

A formula that cannot be applied to every completed request of a wave gives no value for that wave: averaging the rest
would describe another wave. Requests that failed are in no metric; the check of errors and the failure counts tell.
"""

__all__ = [
    "HELD_BACK",
    "NOT_COUNTED",
    "Compute",
    "across_streams",
    "counter_ratio",
    "decode_tok_s",
    "decoded",
    "e2e_s",
    "each",
    "from_counters",
    "gaps_s",
    "last_output_ns",
    "later_tokens",
    "of_household",
    "over_streams",
    "per_request",
    "per_wave",
    "tpot_s",
    "ttft_s",
]

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from sparktune.bench.waves import first_tokens, held_back, total_tokens
from sparktune.model.counters import CounterDelta
from sparktune.model.metric import Unknown
from sparktune.model.mix import Household
from sparktune.model.options import Slo
from sparktune.model.timeline import Timeline
from sparktune.model.trial import Request, Trial
from sparktune.units import Nanoseconds, Ratio, Seconds, Tokens, TokensPerSecond, seconds_between

Compute = Callable[[Trial, Slo], tuple[float, ...] | Unknown]

# ``{streams}`` is replaced by "2 of 4 streams".
NOT_COUNTED = "the server told no token count for {streams}"
HELD_BACK = "the answer of {streams} was held back on its way and came in one burst"
_NO_OUTPUT = "{streams} sent no output"
_ONE_CHUNK = "{streams} sent fewer than two output chunks"
_NO_FIRST = (
    "the server does not say how many tokens the first chunk carried ({streams}); without that a rate after it "
    "cannot be given"
)
_ALL_AT_ONCE = "{streams} sent no token after the first output chunk"
_ONE_INSTANT = "all output of {streams} arrived at one instant"
_NO_REQUEST = Unknown("no request of the wave completed")
_NO_COUNTERS = Unknown("the server offers no counters, or they could not be read")
_RESET = Unknown("the server's counters started again during the wave: it was restarted")
_FIRST_TOGETHER = (
    "several chunks came in one instant with the first ({streams}), and the server does not count their tokens"
)
_FEWEST_STREAMS = 2
_FEW: Ratio = 0.02  # of the chunks: what it changes is below what a rate varies by


def each(requests: Sequence[Request], formula: Callable[[Request], float | Unknown]) -> tuple[float, ...] | Unknown:
    """Return the formula's value for every request, or Unknown with the most frequent reason and its count."""
    if not requests:
        return _NO_REQUEST
    answers = [formula(request) for request in requests]
    values = tuple(answer for answer in answers if not isinstance(answer, Unknown))
    if len(values) == len(answers):
        return values
    why, count = Counter(answer.why for answer in answers if isinstance(answer, Unknown)).most_common(1)[0]
    noun = "stream" if len(answers) == 1 else "streams"
    return Unknown(why.format(streams=f"{count} of {len(answers)} {noun}"))


def per_request(formula: Callable[[Request], float | Unknown]) -> Compute:
    """Return a compute with one value per completed request; ``{streams}`` in a reason becomes their count."""

    def compute(trial: Trial, _slo: Slo) -> tuple[float, ...] | Unknown:
        return each(trial.completed, formula)

    return compute


def per_wave(formula: Callable[[Trial], float | Unknown]) -> Compute:
    """Return a compute with one value for the completed requests of a wave together."""

    def compute(trial: Trial, _slo: Slo) -> tuple[float, ...] | Unknown:
        value = formula(trial) if trial.completed else _NO_REQUEST
        return value if isinstance(value, Unknown) else (value,)

    return compute


def across_streams(
    formula: Callable[[Request], float | Unknown], combine: Callable[[Sequence[float]], float | None]
) -> Compute:
    """Return a compute that compares the streams of a wave: all of them, at least two.

    A stream that failed has no value to compare: how long it would have waited is not known, so the wave has none.
    """
    whole = over_streams(formula, combine)

    def compute(trial: Trial, slo: Slo) -> tuple[float, ...] | Unknown:
        failed = len(trial.requests) - len(trial.completed)
        if not failed and len(trial.requests) < _FEWEST_STREAMS:
            return Unknown("one stream has nothing to be compared with")
        return whole(trial, slo)

    return compute


def over_streams(
    formula: Callable[[Request], float | Unknown], combine: Callable[[Sequence[float]], float | None]
) -> Compute:
    """Return a compute with one value for all streams of a wave; none where one failed, as in ``across_streams``."""

    def compute(trial: Trial, _slo: Slo) -> tuple[float, ...] | Unknown:
        failed = len(trial.requests) - len(trial.completed)
        if failed:
            return Unknown(f"{failed} of {len(trial.requests)} streams failed: the wave cannot be compared whole")
        values = each(trial.requests, formula)
        if isinstance(values, Unknown):
            return values
        combined = combine(values)
        return Unknown("all streams have the value 0") if combined is None else (combined,)

    return compute


def of_household(formula: Callable[[Trial, Household], tuple[float, ...] | Unknown]) -> Compute:
    """Return a compute over the agents of a household; of another cell, and where a request failed, there is none."""

    def compute(trial: Trial, _slo: Slo) -> tuple[float, ...] | Unknown:
        if trial.cell.household is None:
            return Unknown("this cell is no household of two agents")
        missing = trial.cell.streams - len(trial.completed)
        if missing:
            return Unknown(f"{missing} of {trial.cell.streams} requests failed: the session is not whole")
        ordered = tuple(sorted(trial.requests, key=lambda request: request.stream))
        return formula(replace(trial, requests=ordered), trial.cell.household)

    return compute


def from_counters(formula: Callable[[CounterDelta], tuple[float, ...] | Unknown]) -> Compute:
    """Return a compute over what the server's counters rose by during the wave."""

    def compute(trial: Trial, _slo: Slo) -> tuple[float, ...] | Unknown:
        if trial.counters is None:
            return _NO_COUNTERS
        return _RESET if trial.counters.reset else formula(trial.counters)

    return compute


def counter_ratio(part: float | None, whole: float | None, *, none: str, zero: str) -> float | Unknown:
    """Return ``part / whole``; Unknown with ``none`` where a counter is missing, with ``zero`` where whole is 0."""
    if part is None or whole is None:
        return Unknown(none)
    return part / whole if whole > 0 else Unknown(zero)


def ttft_s(request: Request) -> Seconds | Unknown:
    """Return the time from the send to the first output of any kind."""
    first = request.timeline.first_ns
    return Unknown(_NO_OUTPUT) if first is None else seconds_between(request.send_start_ns, first)


def last_output_ns(request: Request) -> Nanoseconds | Unknown:
    """Return the instant of the last output chunk."""
    last = request.timeline.last_ns
    return Unknown(_NO_OUTPUT) if last is None else last


def e2e_s(request: Request) -> Seconds | Unknown:
    """Return the time from the send to the last output."""
    last = last_output_ns(request)
    return last if isinstance(last, Unknown) else seconds_between(request.send_start_ns, last)


def later_tokens(timeline: Timeline) -> Tokens | Unknown:
    """Return the tokens after the first output, ``N - n_first``; always above 0.

    What arrived in one instant with the first chunk was not written after it: a proxy that sends on eight chunks at a
    time would nearly double the rate of sixteen.
    """
    total, first = total_tokens(timeline), first_tokens(timeline)
    if total is None:
        return Unknown(NOT_COUNTED)
    if not timeline.output_ns:
        return Unknown(_NO_OUTPUT)
    if first is None:
        return Unknown(_NO_FIRST)
    if len(timeline.output_ns) > 1 and timeline.output_ns[0] == timeline.output_ns[-1]:
        return Unknown(_ONE_INSTANT)
    beside = bisect_right(timeline.output_ns, timeline.output_ns[0]) - 1
    if beside and timeline.output_tokens is not None:
        first = sum(timeline.output_tokens[: beside + 1])
    elif beside > _FEW * (len(timeline.output_ns) - 1):
        return Unknown(_FIRST_TOGETHER)
    return total - first if total > first else Unknown(_ALL_AT_ONCE)


def decode_tok_s(request: Request) -> TokensPerSecond | Unknown:
    """Return ``(N - n_first) / (t_last - t_first)`` of one stream."""
    tokens = later_tokens(request.timeline)
    if isinstance(tokens, Unknown):
        return tokens
    if held_back(request):
        return Unknown(HELD_BACK)
    span = seconds_between(request.timeline.output_ns[0], request.timeline.output_ns[-1])
    return tokens / span if span > 0 else Unknown(_ONE_INSTANT)


def decoded(
    requests: Sequence[Request], from_ns: Nanoseconds | None, until_ns: Nanoseconds
) -> tuple[TokensPerSecond] | Unknown:
    """Return the rate at which streams wrote in a window, each from its first output on and no longer than it wrote.

    ``from_ns`` None is each stream's first output, whose chunk is the prefill's.
    """
    tokens, time_ns = 0, 0
    for request in requests:
        instants, counts = request.timeline.output_ns, request.timeline.output_tokens
        if counts is None or not instants:
            return Unknown("the server gives no token count per chunk, or a turn has no output")
        start_ns = max(instants[0], from_ns or 0)
        end_ns = min(instants[-1], until_ns)
        tokens += sum(count for at_ns, count in zip(instants, counts, strict=True) if start_ns < at_ns <= end_ns)
        time_ns += max(0, end_ns - start_ns)
    return (tokens / seconds_between(0, time_ns),) if time_ns else Unknown("nothing was written in that time")


def tpot_s(request: Request) -> Seconds | Unknown:
    """Return ``(t_last - t_first) / (N - n_first)`` of one stream: the inverse of its decode rate."""
    rate = decode_tok_s(request)
    return rate if isinstance(rate, Unknown) else 1.0 / rate


def gaps_s(timeline: Timeline) -> tuple[Seconds, ...] | Unknown:
    """Return the times between consecutive output chunks; at least one."""
    instants = timeline.output_ns
    if len(instants) < _FEWEST_STREAMS:
        return Unknown(_ONE_CHUNK)
    return tuple(seconds_between(before, after) for before, after in pairwise(instants))

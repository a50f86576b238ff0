"""How fast all streams of a wave write together while every one of them writes: the full batch, no ramp and no tail.

Formula: tokens of the chunks that arrived after the last stream's first output, up to the first stream's last output,
    / the length of that window
Unit: tok/s
Better: higher
Undefined when: the server gives no token count per chunk, an answer was held back and came in one burst, or one stream
    ended before another began, or before each had two chunks beside all others (prefills that follow one another leave
    no such window).
Source: our own; at staggered starts it gives the batch's rate where a rate over the whole span does not.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import HELD_BACK, each, per_wave
from sparktune.bench.waves import held_back
from sparktune.model.metric import Better, Metric, Scope, Unknown
from sparktune.model.timeline import Timeline
from sparktune.model.trial import Request, Trial
from sparktune.units import Nanoseconds, Tokens, seconds_between

_FEWEST_CHUNKS = 2  # so that the window is at least one gap long: it ends with a chunk, and may begin just before it
_TOO_SHORT = "the streams of the wave wrote at once for less than two chunks of each"


def _overlap_tok_s(trial: Trial) -> float | Unknown:
    streams = each(trial.completed, _has_chunk_counts)
    if isinstance(streams, Unknown):
        return streams
    timelines = [request.timeline for request in trial.completed]
    start = max(timeline.output_ns[0] for timeline in timelines)
    end = min(timeline.output_ns[-1] for timeline in timelines)
    if end <= start:
        return Unknown("no time in which all streams of the wave wrote at once")
    if len(timelines) > 1 and any(_chunks_within(timeline, start, end) < _FEWEST_CHUNKS for timeline in timelines):
        return Unknown(_TOO_SHORT)
    return sum(_tokens_within(timeline, start, end) for timeline in timelines) / seconds_between(start, end)


def _has_chunk_counts(request: Request) -> float | Unknown:
    if not request.timeline.output_tokens:
        return Unknown("the server gave no token count per chunk for {streams}")
    return Unknown(HELD_BACK) if held_back(request) else 1.0


def _chunks_within(timeline: Timeline, start: Nanoseconds, end: Nanoseconds) -> int:
    return sum(start < instant <= end for instant in timeline.output_ns)


def _tokens_within(timeline: Timeline, start: Nanoseconds, end: Nanoseconds) -> Tokens:
    counts = timeline.output_tokens or ()
    return sum(count for instant, count in zip(timeline.output_ns, counts, strict=True) if start < instant <= end)


METRIC = Metric(
    name="overlap_tok_s",
    title="overlap tok/s",
    unit="tok/s",
    scope=Scope.WAVE,
    better=Better.HIGHER,
    compute=per_wave(_overlap_tok_s),
    order=110,
)

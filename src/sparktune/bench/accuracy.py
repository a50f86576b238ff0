"""Judge a client by the log of the server that it measured.

Source: definitions in ``model.calibration``. A chunk's true instant is an interval, the server's send call, because the
server can be interrupted between its clock and the call: inside it the client cannot be called wrong.
"""

__all__ = [
    "Pair",
    "compare",
    "largest_error",
    "limit_of",
    "rate_error",
    "spread",
    "stamp_distance_ns",
    "ttft_error_s",
    "written_rate",
]

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from sparktune.bench.stats import nearest_rank
from sparktune.model.calibration import Accuracy, Limit, LoadResult, Spread, Written
from sparktune.model.timeline import Timeline
from sparktune.units import NS_PER_S, Nanoseconds, Ratio, Seconds, TokensPerSecond, seconds_between

_P99, _FEWEST_FOR_P99 = 0.99, 459
_REACHED: Ratio = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One request from both sides; ``written`` has no chunks where the server's log has no such request."""

    written: Written
    send_start_ns: Nanoseconds
    timeline: Timeline

    @property
    def matches(self) -> bool:
        """Whether it ended well and decoded to exactly the chunks that were written."""
        timeline = self.timeline
        return timeline.failure is None and 0 < len(timeline.output_ns) == len(self.written.before_ns)


def compare(pairs: Sequence[Pair]) -> Accuracy:
    """Compare each request with what the server wrote for it; one that does not match has failed."""
    matched = [pair for pair in pairs if pair.matches]
    stamps = [distance / NS_PER_S for pair in matched for distance in _stamp_distances(pair)]
    rates = [error for pair in matched if (error := _rate_error(pair)) is not None]
    return Accuracy(
        requests=len(pairs),
        failed=len(pairs) - len(matched),
        chunks=len(stamps),
        tokens=sum(sum(pair.written.tokens) for pair in matched),
        stamp_s=spread(stamps),
        ttft_s=spread([ttft_error_s(pair.written, _ttft_s(pair)) for pair in matched]),
        rate=spread(rates),
    )


def stamp_distance_ns(at_ns: Nanoseconds, before_ns: Nanoseconds, after_ns: Nanoseconds) -> Nanoseconds:
    """Return how far an instant lies outside an interval; 0 inside."""
    return max(before_ns - at_ns, at_ns - after_ns, 0)


def ttft_error_s(written: Written, ttft_s: Seconds) -> Seconds:
    """Return how far a TTFT lies outside what the server's log allows: from arrival to the send of the first chunk."""
    shortest_s = seconds_between(written.origin_ns, written.before_ns[0])
    longest_s = seconds_between(written.origin_ns, written.after_ns[0])
    return max(shortest_s - ttft_s, ttft_s - longest_s, 0.0)


def rate_error(written: Written, rate: TokensPerSecond) -> Ratio | None:
    """Return how far a decode rate lies outside what the server's log allows, relative to it.

    None when the server wrote no span of time; 1 for no rate at all where there was one.
    """
    tokens = sum(written.tokens) - written.tokens[0]
    shortest_s = seconds_between(written.after_ns[0], written.before_ns[-1])
    longest_s = seconds_between(written.before_ns[0], written.after_ns[-1])
    if shortest_s <= 0:
        return None
    if rate <= 0:
        return 1.0
    slowest, fastest = tokens / longest_s, tokens / shortest_s
    return max(slowest / rate - 1.0, rate / fastest - 1.0, 0.0)


def spread(errors: Sequence[float]) -> Spread | None:
    """Summarise errors, which are sizes; None without any."""
    if not errors:
        return None
    p99 = nearest_rank(errors, _P99) if len(errors) >= _FEWEST_FOR_P99 else None
    return Spread(n=len(errors), median=median(errors), mean=fmean(errors), p99=p99, maximum=max(errors))


def written_rate(written: Written) -> float | None:
    """Return the chunks per second of one answer, from its first write to its last; None for a single instant."""
    if not written.before_ns or written.before_ns[-1] == written.before_ns[0]:
        return None
    return (len(written.before_ns) - 1) / seconds_between(written.before_ns[0], written.before_ns[-1])


def largest_error(result: LoadResult) -> Ratio | None:
    """Return the largest relative error that a reader of the load's figures would meet; None when there are none.

    The largest of: a stream's rate error; the TTFT error of the worst request, relative to the server's TTFT; the 99th
    percentile of the arrival stamps' errors (the worst where there are few), relative to that TTFT.
    """
    accuracy = result.accuracy
    if accuracy.failed or accuracy.stamp_s is None or accuracy.ttft_s is None or accuracy.rate is None:
        return None
    stamp_s = accuracy.stamp_s.maximum if accuracy.stamp_s.p99 is None else accuracy.stamp_s.p99
    return max(accuracy.rate.maximum, accuracy.ttft_s.maximum / result.load.ttft_s, stamp_s / result.load.ttft_s)


def limit_of(result: LoadResult, allowed: Ratio) -> Limit:
    """Say whether a load held, and if not, whose fault it was.

    A server that wrote less than 99 % of the rate asked for is no measure of the client at that rate.
    """
    if result.written_per_s is None or result.written_per_s < _REACHED * result.load.chunks_per_s:
        return Limit.SERVER
    error = largest_error(result)
    return Limit.NONE if error is not None and error <= allowed else Limit.CLIENT


def _stamp_distances(pair: Pair) -> Sequence[Nanoseconds]:
    written = pair.written
    return tuple(map(stamp_distance_ns, pair.timeline.output_ns, written.before_ns, written.after_ns))


def _ttft_s(pair: Pair) -> Seconds:
    return seconds_between(pair.send_start_ns, pair.timeline.output_ns[0])


def _rate_error(pair: Pair) -> Ratio | None:
    counts, at_ns = pair.timeline.output_tokens, pair.timeline.output_ns
    span_s = seconds_between(at_ns[0], at_ns[-1])
    told = 0.0 if counts is None or span_s <= 0 else (sum(counts) - counts[0]) / span_s
    return rate_error(pair.written, told)

"""The judge of our own client: every error here is put in by hand, so a judge that finds none is wrong."""

from dataclasses import replace

import pytest

from sparktune.bench.accuracy import (
    Pair,
    compare,
    largest_error,
    limit_of,
    rate_error,
    spread,
    stamp_distance_ns,
    ttft_error_s,
    written_rate,
)
from sparktune.model.calibration import Accuracy, Limit, Load, LoadResult, Spread, Written
from sparktune.model.timeline import Failure, FailureType, Timeline

_MS = 1_000_000
_WRITTEN = Written(
    origin_ns=1000 * _MS,
    before_ns=tuple((1200 + 10 * index) * _MS for index in range(5)),
    after_ns=tuple((1201 + 10 * index) * _MS for index in range(5)),
    tokens=(1, 1, 1, 1, 1),
)
_EXACT = Timeline(output_ns=_WRITTEN.before_ns, output_tokens=_WRITTEN.tokens)


def _pair(timeline: Timeline = _EXACT, sent_ms: float = 1000, written: Written = _WRITTEN) -> Pair:
    return Pair(written=written, send_start_ns=round(sent_ms * _MS), timeline=timeline)


def _one(value: float) -> Spread:
    return Spread(n=1, median=pytest.approx(value), mean=pytest.approx(value), p99=None, maximum=pytest.approx(value))


@pytest.mark.parametrize(("at", "expected"), [(9, 1), (10, 0), (15, 0), (20, 0), (27, 7)])
def test_inside_the_send_call_is_no_error(at: int, expected: int) -> None:
    assert stamp_distance_ns(at, 10, 20) == expected


def test_exact_client_has_no_error() -> None:
    accuracy = compare([_pair()])

    assert (accuracy.requests, accuracy.failed, accuracy.chunks, accuracy.tokens) == (1, 0, 5, 5)
    assert accuracy.stamp_s == Spread(n=5, median=0, mean=0, p99=None, maximum=0)
    assert accuracy.rate == Spread(n=1, median=0, mean=0, p99=None, maximum=0)


def test_late_stamps_are_found() -> None:
    """The last chunk is stamped 3 ms after its send call ended: the stamp and the rate are wrong, TTFT is not."""
    late = replace(_EXACT, output_ns=(*_WRITTEN.before_ns[:-1], _WRITTEN.after_ns[-1] + 3 * _MS))
    accuracy = compare([_pair(late)])

    assert accuracy.stamp_s == Spread(n=5, median=0, mean=pytest.approx(0.0006), p99=None, maximum=pytest.approx(0.003))
    assert accuracy.ttft_s == Spread(n=1, median=0, mean=0, p99=None, maximum=0)
    assert accuracy.rate == _one(3 / 41)


@pytest.mark.parametrize(("sent_ms", "expected"), [(995, 0.004), (1002, 0.002)])
def test_ttft_error_is_a_size(sent_ms: float, expected: float) -> None:
    accuracy = compare([_pair(sent_ms=sent_ms)])

    assert accuracy.ttft_s == _one(expected)


@pytest.mark.parametrize(
    "pair",
    [
        _pair(replace(_EXACT, failure=Failure(type=FailureType.TRUNCATED))),
        _pair(replace(_EXACT, output_ns=_EXACT.output_ns[:-1])),
        _pair(Timeline()),
        _pair(written=Written(origin_ns=0, before_ns=(), after_ns=(), tokens=())),
        _pair(Timeline(), written=Written(origin_ns=0, before_ns=(), after_ns=(), tokens=())),
    ],
)
def test_what_does_not_match_has_failed(pair: Pair) -> None:
    accuracy = compare([pair, _pair()])

    assert (accuracy.requests, accuracy.failed, accuracy.chunks) == (2, 1, 5)


def test_single_instant_has_no_rate() -> None:
    one = Written(origin_ns=0, before_ns=(5,), after_ns=(6,), tokens=(1,))
    single = Timeline(output_ns=(5,), output_tokens=(1,))

    assert compare([_pair(single, written=one)]).rate is None


@pytest.mark.parametrize("timeline", [replace(_EXACT, output_tokens=None), replace(_EXACT, output_ns=(_MS,) * 5)])
def test_client_that_cannot_tell_a_rate_is_wholly_wrong(timeline: Timeline) -> None:
    """Dropping such a stream would make the worst clients look best."""
    assert compare([_pair(timeline)]).rate == _one(1.0)


@pytest.mark.parametrize(
    ("rate", "expected"),
    [(4 / 0.041, 0.0), (100.0, 0.0), (4 / 0.039, 0.0), (4 / 0.082, 1.0), (8 / 0.039, 1.0), (0, 1.0)],
)
def test_rate_inside_what_the_send_calls_allow_is_no_error(rate: float, expected: float) -> None:
    assert rate_error(_WRITTEN, rate) == pytest.approx(expected)


@pytest.mark.parametrize(("ttft_s", "expected"), [(0.2, 0), (0.2005, 0), (0.201, 0), (0.19, 0.01), (0.221, 0.02)])
def test_ttft_inside_the_first_send_call_is_no_error(ttft_s: float, expected: float) -> None:
    assert ttft_error_s(_WRITTEN, ttft_s) == pytest.approx(expected)


@pytest.mark.parametrize(("count", "has_p99"), [(458, False), (459, True)])
def test_p99_needs_459_values(count: int, *, has_p99: bool) -> None:
    found = spread([0.001 * number for number in range(count)])

    assert found is not None
    assert (found.p99 is not None) is has_p99


def test_no_errors_are_no_spread() -> None:
    assert spread([]) is None


def test_written_rate_counts_gaps() -> None:
    assert written_rate(_WRITTEN) == pytest.approx(100)
    assert written_rate(replace(_WRITTEN, before_ns=(5,))) is None
    assert written_rate(replace(_WRITTEN, before_ns=())) is None


def _size(value: float, p99: float | None = None) -> Spread:
    return Spread(n=500, median=0, mean=0, p99=p99, maximum=value)


def _result(
    *, stamp: Spread, ttft: float = 0.0, rate: float = 0.0, written: float | None = 800, failed: int = 0
) -> LoadResult:
    accuracy = Accuracy(
        requests=8, failed=failed, chunks=800, tokens=800, stamp_s=stamp, ttft_s=_size(ttft), rate=_size(rate)
    )
    return LoadResult(
        load=Load(concurrency=8, ttft_s=0.2, itl_s=0.01, chunks=100),
        accuracy=accuracy,
        written_per_s=written,
        late_max_s=0.0,
        wave_cpu_s_per_1k=0.01,
        decode_cpu_s_per_1k=0.01,
        health=(),
    )


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (_result(stamp=_size(0.1, p99=0.002)), 0.01),
        (_result(stamp=_size(0.1)), 0.5),
        (_result(stamp=_size(0.0), ttft=0.004), 0.02),
        (_result(stamp=_size(0.0), rate=0.03), 0.03),
        (_result(stamp=_size(0.0), failed=1), None),
    ],
)
def test_largest_error(result: LoadResult, expected: float | None) -> None:
    assert largest_error(result) == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (_result(stamp=_size(0.0)), Limit.NONE),
        (_result(stamp=_size(0.0), rate=0.011), Limit.CLIENT),
        (_result(stamp=_size(0.0), failed=1), Limit.CLIENT),
        (_result(stamp=_size(0.0), rate=0.5, written=780), Limit.SERVER),
        (_result(stamp=_size(0.0), written=None), Limit.SERVER),
    ],
)
def test_limit_blames_the_right_side(result: LoadResult, expected: Limit) -> None:
    """A server that did not reach the rate says nothing about the client at that rate."""
    assert limit_of(result, 0.01) is expected

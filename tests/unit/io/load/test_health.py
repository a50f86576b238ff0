"""The client's own health decides whether a trial counts; what it cannot know must stay unknown."""

import os
from dataclasses import replace

import pytest
from tests.support.recordings import recording

from sparktune.io.load.health import HealthMeter
from sparktune.model.recording import Recording, StampSource
from sparktune.model.trial import ClientHealth

_US = 1000


def _health(*recordings: Recording) -> ClientHealth:
    return HealthMeter().result(recordings, clock_step_s=0.0)


def _late_by(*lags_us: int) -> Recording:
    """One read per lag, 1 ms apart."""
    plain = recording([(1_000_000 * (place + 1), b"x") for place, _ in enumerate(lags_us)], send_ns=1)
    woke = [arrival + lag * _US for arrival, lag in zip(plain.arrival_ns, lags_us, strict=True)]
    return replace(plain, woke_ns=woke)


def test_lag_over_all_streams() -> None:
    health = _health(_late_by(*[10] * 149, 700), _late_by(*[20] * 49, 900))

    assert (health.lag_p99_s, health.lag_max_s, health.reads) == (pytest.approx(20e-6), pytest.approx(900e-6), 200)


def test_arrival_while_awake_is_no_lag() -> None:
    """Packets that come while others are being read were not waited for."""
    assert _health(_late_by(-40, -30)).lag_max_s == 0.0


def test_no_lag_without_kernel_stamps() -> None:
    kernel, user = _late_by(10), replace(_late_by(10), source=StampSource.USER)
    health = _health(kernel, user)

    assert (health.lag_p99_s, health.lag_max_s, health.source) == (None, None, StampSource.USER)


def test_failed_connections_say_nothing_about_stamps() -> None:
    """A recording without reads is USER by default; it must not hide the lag of the others."""
    nothing = replace(recording([]), source=StampSource.USER)

    assert _health(_late_by(10), nothing).source is StampSource.KERNEL


def test_nothing_received() -> None:
    health = _health(recording([]))

    assert (health.reads, health.lag_max_s, health.send_skew_s, health.source) == (0, None, 0.0, StampSource.USER)


def test_send_skew_counts_only_what_was_sent() -> None:
    sent = [replace(recording([(9_000, b"x")]), send_start_ns=at_ns) for at_ns in (0, 1_000, 4_000)]

    assert _health(*sent).send_skew_s == pytest.approx(3e-6)


def test_cores_are_those_it_ran_on() -> None:
    assert set(_health().cores) <= os.sched_getaffinity(0)


def test_cpu_of_the_wave() -> None:
    meter = HealthMeter()
    spin = sum(range(200_000))
    meter.sample()
    health = meter.result([], clock_step_s=0.25)

    assert spin
    assert health.cpu_ratio > 0
    assert health.wall_s > 0
    assert health.clock_step_s == 0.25

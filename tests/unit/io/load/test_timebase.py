"""A wall clock that somebody sets in the middle of a wave must not move a single arrival.

Every test scripts two clocks: monotonic time in nanoseconds and how far the wall clock is ahead of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from sparktune.io.load.clock import Clocks
from sparktune.io.load.timebase import Timebase

_MS = 1_000_000
_OFFSET = 1_700_000_000 * 1000 * _MS


@dataclass
class _World:
    """A moment that stands still: both clocks read the same instant until the test moves on."""

    now: int = 0
    offset: int = _OFFSET
    gap: int = 0  # by how much monotonic time goes on with each reading

    def monotonic(self) -> int:
        self.now += self.gap
        return self.now

    @property
    def clocks(self) -> Clocks:
        return Clocks(monotonic_ns=self.monotonic, wall_ns=lambda: self.now + self.offset)


def _marked(world: _World, marks: Sequence[tuple[int, int]]) -> Timebase:
    """Mark at each (instant, offset relative to the first)."""
    timebase = Timebase(world.clocks)
    for now, offset in marks:
        world.now, world.offset = now, _OFFSET + offset
        timebase.mark()
    return timebase


def test_no_step() -> None:
    timebase = _marked(_World(), [(100 * _MS, 0), (200 * _MS, 0)])
    arrivals, exact = timebase.to_monotonic([_OFFSET + 5, _OFFSET + 150 * _MS], [6, 150 * _MS + 1])

    assert (list(arrivals), exact) == ([5, 150 * _MS], True)
    assert timebase.largest_step_s == 0.0


def test_missing_stamp_falls_back_to_waking_up() -> None:
    timebase = _marked(_World(), [(100 * _MS, 0)])
    arrivals, exact = timebase.to_monotonic([_OFFSET + 5, None], [6, 9])

    assert (list(arrivals), exact) == ([5, 9], False)


def test_no_reads() -> None:
    assert list(_marked(_World(), []).to_monotonic([], [])[0]) == []


# marks at 100, 200, 300, 400 ms; the wall clock jumps somewhere between 200 and 300 ms
_STEPS = [3_600_000 * _MS, -3_600_000 * _MS, 2 * _MS, -2 * _MS]


@pytest.mark.parametrize("step", _STEPS)
@pytest.mark.parametrize(
    ("woke_ms", "arrived_before_step", "expected_ms"),
    [
        (150, True, 149),  # long before
        (200, True, 199),  # at the last mark before
        (250, True, 250),  # in between: nobody knows on which side the stamp was taken
        (250, False, 250),
        (350, True, 350),  # after, but it may have waited since before
        (350, False, 350),
        (401, False, 400),  # after a whole tick in which everything that had waited was read
    ],
)
def test_step(step: int, woke_ms: int, *, arrived_before_step: bool, expected_ms: int) -> None:
    marks = [(100 * _MS, 0), (200 * _MS, 0), (300 * _MS, step), (400 * _MS, step)]
    timebase = _marked(_World(), marks)
    stamp = (woke_ms - 1) * _MS + _OFFSET + (0 if arrived_before_step else step)
    arrivals, _ = timebase.to_monotonic([stamp], [woke_ms * _MS])

    assert list(arrivals) == [expected_ms * _MS]
    assert timebase.largest_step_s == pytest.approx(abs(step) / 1e9)


def test_step_makes_the_request_inexact() -> None:
    timebase = _marked(_World(), [(100 * _MS, 0), (200 * _MS, 5000 * _MS)])

    assert timebase.to_monotonic([_OFFSET + 149 * _MS], [150 * _MS])[1] is False


def test_request_away_from_the_step_stays_exact() -> None:
    timebase = _marked(_World(), [(100 * _MS, 0), (200 * _MS, 5000 * _MS)])

    assert timebase.to_monotonic([_OFFSET + 49 * _MS], [50 * _MS])[1] is True


def test_small_step_is_corrected_with_stamps() -> None:
    """A step below 1 ms costs less than the delay of waking up: stamps stay, off by the step at most."""
    timebase = _marked(_World(), [(100 * _MS, 0), (200 * _MS, _MS // 2), (300 * _MS, _MS // 2)])
    arrivals, exact = timebase.to_monotonic([_OFFSET + 50 * _MS, _OFFSET + 350 * _MS + _MS // 2], [51 * _MS, 351 * _MS])

    assert (list(arrivals), exact) == ([50 * _MS, 350 * _MS], True)
    assert timebase.largest_step_s == pytest.approx(0.0005)


def test_two_steps() -> None:
    marks = [(100, 0), (200, 7000), (300, 7000), (400, 0), (500, 0)]
    timebase = _marked(_World(), [(at * _MS, offset * _MS) for at, offset in marks])
    woke = [50, 150, 250, 350, 450, 600]
    stamps = [_OFFSET + (at - 1 + offset) * _MS for at, offset in zip(woke, [0, 0, 7000, 7000, 0, 0], strict=True)]
    arrivals, exact = timebase.to_monotonic(stamps, [at * _MS for at in woke])

    assert [arrival // _MS for arrival in arrivals] == [49, 150, 250, 350, 450, 599]
    assert exact is False
    assert timebase.largest_step_s == pytest.approx(7.0)


def test_readings_that_are_only_imprecise_are_no_step() -> None:
    """A mark that the scheduler cut in two is far off; taken for a step it would throw good stamps away."""
    world = _World()
    timebase = Timebase(world.clocks)
    world.gap = 3 * _MS
    timebase.mark()
    world.gap = 0
    timebase.mark()
    arrivals, exact = timebase.to_monotonic([_OFFSET + 7], [8])

    assert (timebase.largest_step_s, list(arrivals), exact) == (0.0, [7], True)

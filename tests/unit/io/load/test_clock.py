"""Two clocks cannot be read at once; how far apart the readings were must be known."""

from collections.abc import Sequence

from sparktune.io.load.clock import SYSTEM_CLOCKS, ClockPair, Clocks, take_pair


def _clocks(readings: Sequence[int], offset: int) -> Clocks:
    """Monotonic time as scripted, then one nanosecond per reading; wall time ``offset`` ahead of it."""
    script = list(readings)
    now = [0]

    def monotonic() -> int:
        now[0] = script.pop(0) if script else now[0] + 1
        return now[0]

    return Clocks(monotonic_ns=monotonic, wall_ns=lambda: now[0] + offset)


def test_closest_of_five() -> None:
    readings = [0, 900, 1000, 1100, 2000, 2500, 3000, 3700, 4000, 4800]

    assert take_pair(_clocks(readings, 10_000)) == ClockPair(at_ns=1050, offset_ns=9_950, width_ns=100)


def test_interrupted_tries_are_not_enough() -> None:
    """On a busy core each try may be cut by the scheduler: then more are made."""
    readings = [at for start in range(0, 70_000_000, 10_000_000) for at in (start, start + 5_000_000)]

    assert take_pair(_clocks(readings, 0)).width_ns == 1


def test_clocks_that_never_read_close_still_answer() -> None:
    readings = [at * 1_000_000 for at in range(200)]

    assert take_pair(_clocks(readings, 0)).width_ns == 1_000_000


def test_real_clocks() -> None:
    before, pair, after = SYSTEM_CLOCKS.monotonic_ns(), take_pair(SYSTEM_CLOCKS), SYSTEM_CLOCKS.monotonic_ns()

    assert before <= pair.at_ns <= after

"""The memory of a visit is kept small, and nothing that a person looks for is thinned out."""

from hypothesis import given
from hypothesis import strategies as st
from tests.support.guarded import memory

from sparktune.experiment.memory_curve import curve_of
from sparktune.model.guard import HostTick


@given(st.lists(st.floats(0, 128), min_size=1, max_size=300), st.integers(3, 50))
def test_the_lowest_the_first_and_the_last_are_kept(sizes: list[float], most: int) -> None:
    ticks = memory(*sizes)
    curve = curve_of("spark1", ticks, visit=(1, 1, 0), most=most)

    assert curve is not None
    known = [tick.available for tick in ticks]
    kept = [point.available for point in curve.points]
    assert len(kept) <= max(most, 2)
    assert (kept[0], kept[-1]) == (known[0], known[-1])
    assert min(kept) == curve.lowest == min(size for size in known if size is not None)
    assert [point.at_s for point in curve.points] == sorted(point.at_s for point in curve.points)
    assert curve.ticks == len(sizes)


def test_a_node_that_tells_no_memory_has_no_curve() -> None:
    blind = HostTick(node="spark1", monotonic_ns=1, wall_ns=1)
    assert curve_of("spark1", (blind,), visit=(1, 1, 0)) is None

"""Core types: whichever pair of parts a machine has, its fast cores are the fast ones, and one type is never split."""

from hypothesis import assume, given
from hypothesis import strategies as st

from sparktune.host.core_types import CpuTraits, group_cores, split_cores
from sparktune.model.observed import State

_PARTS = st.tuples(st.integers(0, 0xFFF), st.integers(0, 0xFFF)).filter(lambda parts: parts[0] != parts[1])
_LAYOUT = st.lists(st.booleans(), min_size=2, max_size=40).filter(lambda fast: any(fast) and not all(fast))


@given(parts=_PARTS, fast=_LAYOUT, spread=st.integers(0, 40))
def test_any_pair_of_parts_in_any_order(parts: tuple[int, int], fast: list[bool], spread: int) -> None:
    """Capacities that differ within a type, as on a GB10, do not move a core to the other type."""
    cpus = tuple(
        CpuTraits(
            cpu=number,
            implementer=0x41,
            part=parts[0] if is_fast else parts[1],
            capacity=(1000 if is_fast else 700) + (number * 7) % (spread + 1),
        )
        for number, is_fast in enumerate(fast)
    )

    split = split_cores(group_cores(cpus)).value

    assert split is not None
    assert split.performance == frozenset(number for number, is_fast in enumerate(fast) if is_fast)
    assert split.efficiency == frozenset(number for number, is_fast in enumerate(fast) if not is_fast)


@given(
    part=st.integers(0, 0xFFF),
    capacities=st.lists(st.integers(1, 1024), min_size=1, max_size=20),
)
def test_one_part_is_one_type_whatever_its_capacities(part: int, capacities: list[int]) -> None:
    cpus = tuple(
        CpuTraits(cpu=number, implementer=0x41, part=part, capacity=capacity)
        for number, capacity in enumerate(capacities)
    )

    types = group_cores(cpus)

    assert len(types) == 1
    assert split_cores(types).state is State.UNREADABLE


@given(capacities=st.lists(st.integers(900, 1024), min_size=2, max_size=20))
def test_small_steps_without_parts_are_one_type(capacities: list[int]) -> None:
    cpus = tuple(CpuTraits(cpu=number, capacity=capacity) for number, capacity in enumerate(capacities))

    assert "one type" in split_cores(group_cores(cpus)).why


@given(frequencies=st.tuples(st.integers(1, 10**10), st.integers(1, 10**10)))
def test_frequency_needs_a_gap_of_15_percent(frequencies: tuple[int, int]) -> None:
    low, high = sorted(frequencies)
    assume(not 1.149 < high / low < 1.151)
    cpus = tuple(
        CpuTraits(cpu=number, implementer=0x41, part=number, frequency_hz=value)
        for number, value in enumerate((low, high))
    )

    split = split_cores(group_cores(cpus)).value

    assert (split is not None) == (high / low > 1.15)
    assert split is None or split.performance == frozenset({1})


def test_the_faster_type_comes_first_when_frequency_ranks_it() -> None:
    """A report that lists types takes the first one as the fast one."""
    cpus = (
        CpuTraits(cpu=0, implementer=0x41, part=1, capacity=1024, frequency_hz=2_000_000_000),
        CpuTraits(cpu=1, implementer=0x41, part=2, capacity=1000, frequency_hz=3_000_000_000),
    )

    assert [kind.cpus for kind in group_cores(cpus)] == [frozenset({1}), frozenset({0})]


def test_no_cpu_at_all() -> None:
    assert group_cores(()) == ()
    assert split_cores(()).why == "no CPU says what it is"

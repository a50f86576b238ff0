"""What all guards have in common: they raise nothing, invent nothing, and a worse value stops no later."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.guard_ticks import host_ticks, load_ticks

from sparktune.experiment.guarding import HISTORY_S, first_trip, is_of_load, kept, load_view, off_guards, unseen
from sparktune.experiment.guards import all_guards
from sparktune.model.guard import GpuProcess, GpuTick, GuardView, HostTick, Limits, LoadTick, Phase

_GIB = 1024**3
_GUARDS = {guard.id: guard for guard in all_guards()}
_HOST = tuple(guard for guard in all_guards() if not is_of_load(guard))
_LOAD = tuple(guard for guard in all_guards() if is_of_load(guard))

_some = st.none() | st.integers(0, 130 * _GIB)
_gpus = st.lists(
    st.builds(
        GpuTick,
        sm_clock=st.none() | st.floats(0, 3e9),
        power=st.none() | st.floats(0, 200),
        utilisation=st.none() | st.floats(0, 1),
    ),
    max_size=2,
).map(tuple)
_processes = st.none() | st.lists(
    st.builds(
        GpuProcess,
        pid=st.integers(1, 9),
        name=st.just("python3"),
        memory=_some,
        ours=st.none() | st.booleans(),
    ),
    max_size=3,
).map(tuple)
_steps_ns = st.integers(1, 5_000_000_000)


@st.composite
def _ticks(draw: st.DrawFn) -> tuple[HostTick, ...]:
    now, found = 0, []
    for _ in range(draw(st.integers(1, 20))):
        now += draw(_steps_ns)
        counters = ("swapped_in_pages", "swapped_out_pages", "memory_stall_ns", "driver_lines", "oom_kills")
        found.append(
            HostTick(
                node="spark1",
                monotonic_ns=now,
                wall_ns=now,
                available=draw(_some),
                free=draw(_some),
                hottest=draw(st.none() | st.floats(-50, 200)),
                gpus=draw(_gpus),
                gpu_processes=draw(_processes),
                **{name: draw(_some) for name in counters},
            )
        )
    return tuple(found)


@given(ticks=_ticks(), phase=st.sampled_from(Phase))
def test_whatever_a_node_tells_no_guard_raises_and_evidence_is_one_line(
    ticks: tuple[HostTick, ...], phase: Phase
) -> None:
    for guard in _HOST:
        trip = guard.judge(GuardView(node="spark1", phase=phase, first=ticks[0], ticks=ticks), Limits(free_floor=_GIB))
        assert trip is None or (trip.guard == guard.id and trip.evidence and trip.hint and "\n" not in trip.evidence)


@given(ticks=_ticks(), less=st.integers(0, 130 * _GIB))
def test_less_memory_never_takes_a_trip_back(ticks: tuple[HostTick, ...], less: int) -> None:
    last = ticks[-1]
    worse = replace(
        last,
        available=None if last.available is None else max(0, last.available - less),
        free=None if last.free is None else max(0, last.free - less),
        swapped_in_pages=None if last.swapped_in_pages is None else last.swapped_in_pages + less,
        memory_stall_ns=None if last.memory_stall_ns is None else last.memory_stall_ns + less,
        driver_lines=None if last.driver_lines is None else last.driver_lines + less,
        oom_kills=None if last.oom_kills is None else last.oom_kills + less,
        hottest=None if last.hottest is None else last.hottest + less,
    )
    after = (*ticks[:-1], worse) if len(ticks) > 1 else ticks
    for guard in _HOST:
        before = guard.judge(GuardView(node="n", phase=Phase.LOAD, first=ticks[0], ticks=ticks), Limits())
        now = guard.judge(GuardView(node="n", phase=Phase.LOAD, first=ticks[0], ticks=after), Limits())
        assert before is None or now is not None


@given(data=st.data())
def test_more_failures_and_more_silence_never_take_a_trip_back(data: st.DataObject) -> None:
    load = LoadTick(
        monotonic_ns=1,
        requests=data.draw(st.integers(0, 1000)),
        failed=data.draw(st.integers(0, 1000)),
        unanswered_s=data.draw(st.none() | st.floats(0, 100)),
    )
    worse = replace(load, failed=load.failed + 1, unanswered_s=None if load.unanswered_s is None else 1e3)
    for guard in _LOAD:
        before = guard.judge(load_view((load,), Phase.LOAD, None), Limits())
        assert before is None or guard.judge(load_view((worse,), Phase.LOAD, None), Limits()) is not None


@given(ticks=_ticks())
def test_a_node_that_tells_nothing_stops_nothing(ticks: tuple[HostTick, ...]) -> None:
    empty = tuple(HostTick(node="n", monotonic_ns=one.monotonic_ns, wall_ns=one.wall_ns) for one in ticks)

    assert first_trip(_HOST, GuardView(node="n", phase=Phase.STARTING, first=empty[0], ticks=empty), Limits()) is None


def test_what_a_node_does_not_tell_is_named_by_field() -> None:
    tick = HostTick(node="n", monotonic_ns=1, wall_ns=1, available=1, gpus=(GpuTick(sm_clock=1e9, utilisation=0.1),))

    assert unseen(_GUARDS["memory-floor"], tick) == ()
    assert unseen(_GUARDS["driver-memory"], tick) == ("driver_lines",)
    assert unseen(_GUARDS["gpu-low-power"], tick) == ("gpus",), "the power is missing"
    assert unseen(_GUARDS["foreign-gpu-process"], tick) == ("gpu_processes",)


def test_no_process_on_the_gpu_is_something_that_is_known() -> None:
    tick = HostTick(node="n", monotonic_ns=1, wall_ns=1, gpu_processes=())

    assert unseen(_GUARDS["foreign-gpu-process"], tick) == ()


def test_guards_of_the_load_are_those_that_look_at_no_node() -> None:
    assert {guard.id for guard in _LOAD} == {"error-rate", "foreign-requests", "endpoint-lost"}


def test_only_the_floor_of_free_memory_is_off_by_default() -> None:
    assert off_guards(all_guards(), Limits()) == ("memory-free-floor",)
    assert "foreign-gpu-process" in off_guards(all_guards(), Limits(foreign_gpu=False))


def test_two_minutes_are_kept() -> None:
    ticks: tuple[HostTick, ...] = ()
    for tick in host_ticks([{"available": "9 GiB", "times": 400}]):
        ticks = kept(ticks, tick)

    assert ticks[-1].monotonic_ns - ticks[0].monotonic_ns == HISTORY_S * 1e9


def test_a_machine_that_was_started_anew_has_no_past() -> None:
    before, after = load_ticks([{"requests": 5, "times": 2}])

    assert kept((after,), before) == (before,)


@pytest.mark.parametrize("phase", Phase)
def test_the_first_guard_by_name_of_file_speaks(phase: Phase) -> None:
    ticks = host_ticks([{"available": "9 GiB", "oom_kills": 0}, {"available": "1 GiB", "oom_kills": 1}])
    trip = first_trip(_HOST, GuardView(node="n", phase=phase, first=ticks[0], ticks=ticks), Limits())

    assert trip is not None
    assert trip.guard == "memory-floor"

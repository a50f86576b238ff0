"""What a guard says at its end: the curve that led to a stop, and the same as JSON."""

from dataclasses import replace

from tests.support.guard_ticks import host_ticks
from tests.support.schemas import promised

from sparktune.host.killed import Killed, Killer
from sparktune.model.guard import Limits, Trip
from sparktune.report.guard import GuardReport, Stopped, curve_lines, guard_json, guard_lines

_FALL = host_ticks(
    [{"available": "10 GiB", "free": "2 GiB", "by": {"available": "-0.1 GiB"}, "times": 80, "swapped_in_pages": 5}]
)
_TRIP = Trip(guard="memory-floor", node="spark1", evidence="low", hint="less", monotonic_ns=_FALL[-1].monotonic_ns)


def _report(**values: object) -> GuardReport:
    usual: dict[str, object] = {"limits": Limits(), "watched_s": 40.0, "command": ("sleep", "60")}
    return GuardReport(**{**usual, **values})  # type: ignore[arg-type]


def test_the_last_thirty_seconds_are_a_line_and_a_table() -> None:
    head, *table = curve_lines("spark1", _FALL, Limits())

    assert head.startswith("spark1: MemAvailable, the last 30 s: 8.1 GiB [█")
    assert head.endswith("] 2.1 GiB, floor 3.0 GiB")
    assert "▁" in head
    assert 7 <= len(table) <= 11
    assert table[0].split() == ["at", "available", "free", "pages", "swapped"]
    assert table[-1].split() == ["0.0", "s", "2.1", "GiB", "2.0", "GiB", "unknown"], "swap out is not told"


def test_the_curve_fits_the_narrowest_terminal_and_keeps_its_lowest() -> None:
    sizes = [{"available": f"{size} GiB"} for size in [*[9] * 40, 4, *[9] * 19]]
    head, *table = curve_lines("a-node-of-a-long-name", host_ticks(sizes), Limits(available_floor=None))

    assert head.count("▁") == 1, "a dip of one look is not averaged away"
    assert max(map(len, head.split())) <= 40
    assert max(map(len, table)) <= 60


def test_a_node_without_memory_has_no_curve() -> None:
    assert curve_lines("spark1", host_ticks([{}, {}]), Limits()) == []
    assert curve_lines("spark1", (), Limits()) == []


def test_a_flat_curve_without_a_floor() -> None:
    (head, *_) = curve_lines("spark1", host_ticks([{"available": "9 GiB", "times": 4}]), Limits(available_floor=None))

    assert head == "spark1: MemAvailable, the last 2 s: 9.0 GiB [████] 9.0 GiB"


def test_a_stop_shows_its_node_and_what_was_done() -> None:
    stopped = Stopped(command_s=0.05, after_tick_s=0.07, engine="process 7 (vllm) was ended, 3 processes", engine_s=0.4)
    lines = guard_lines(_report(trip=_TRIP, stopped=stopped, curves={"spark1": _FALL, "spark2": _FALL}))

    assert sum("MemAvailable" in line for line in lines) == 1
    assert "the command and its process group had ended 50.0 ms later, 70.0 ms after the tick" in lines
    assert "engine: process 7 (vllm) was ended, 3 processes (400.0 ms later)" in lines


def test_a_stop_of_the_load_shows_every_node() -> None:
    trip = Trip(guard="error-rate", node="", evidence="", hint="", monotonic_ns=1)
    lines = guard_lines(_report(trip=trip, stopped=Stopped(), curves={"spark1": _FALL, "spark2": _FALL}))

    assert sum("MemAvailable" in line for line in lines) == 2


def test_an_end_without_a_stop_tells_the_lowest() -> None:
    killed = Killed(killer=Killer.USERSPACE, text="earlyoom ended it", evidence="earlyoom[1]: sending\x1b[2J SIGKILL")
    lines = guard_lines(_report(code=-9, curves={"spark1": _FALL}, killed=killed))

    assert lines[0] == "guarded for 40 s, no limit was crossed; lowest MemAvailable: spark1 2.1 GiB"
    assert lines[1] == "earlyoom ended it"
    assert "\x1b" not in "".join(lines)


def test_an_end_says_where_memory_could_not_be_watched() -> None:
    """A short command ends before anything else tells it; no limit is crossed where nobody looks."""
    blind = {"spark2": {"memory-floor": "/proc/meminfo: does not tell it"}}
    unknown = (replace(_FALL[0], available=None),)
    (line,) = guard_lines(_report(code=0, curves={"spark1": _FALL, "spark2": unknown}, blind=blind))

    assert "no limit was crossed; lowest MemAvailable: spark1 2.1 GiB; memory was NOT watched on spark2 (/proc" in line


def test_a_node_that_was_not_watched_is_no_node_where_no_limit_was_crossed() -> None:
    some = guard_lines(_report(code=0, curves={"spark1": _FALL, "spark2": ()}, lost={"spark2": "no route"}))
    none = guard_lines(_report(code=0, curves={"spark2": ()}, lost={"spark2": "no route"}))
    since = guard_lines(_report(code=0, curves={"spark1": _FALL}, lost={"spark1": "no route"}))

    assert some[0] == "spark2 was not watched at all: no route"
    assert "no limit was crossed" in some[1]
    assert none == ["spark2 was not watched at all: no route"]
    assert since[0] == "spark1 was not watched at the end: no route"


def test_json_has_everything_and_null_for_what_is_not_known() -> None:
    blind = {"spark1": {"driver-memory": "/dev/kmsg: needs root"}, "": {"error-rate": "nobody tells it"}}
    report = _report(
        trip=_TRIP, stopped=Stopped(command_s=0.1), curves={"spark1": _FALL[:2], "spark2": ()}, blind=blind, off=("x",),
        lost={"spark2": "gone"},
    )  # fmt: skip

    document = promised("guard", guard_json(report))

    assert document["schema"] == 1
    assert document["trip"] == {"guard": "memory-floor", "node": "spark1", "evidence": "low", "hint": "less"}
    assert document["stopped"]["after_tick_s"] is None
    assert document["exit_code"] is None
    assert document["load"] == {"unwatched": {"error-rate": "nobody tells it"}}
    first, second = document["nodes"]
    assert first["unwatched"] == {"driver-memory": "/dev/kmsg: needs root"}
    assert first["curve"][0]["swapped_out_pages"] is None
    assert first["curve"][-1]["at_s"] == 0.0
    assert second == {
        "node": "spark2", "error": "gone", "earlyoom": None, "lowest_available_bytes": None, "unwatched": {},
        "curve": [],
    }  # fmt: skip
    assert document["limits"]["available_floor"] == 3 * 1024**3

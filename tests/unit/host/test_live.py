"""Two samples of a node become one look; what one of them lacks is unknown, never 0."""

import pytest

from sparktune.host.live import WATCH_READS, Frame, frame_of
from sparktune.model.reads import ReadCommand
from sparktune.model.sample import Sample

_SECOND = 1_000_000_000
_TASK = "/proc/50/task/51/stat"


def _stat(ticks: int, *, name: str = "spin", cpu: int = 7, start: int = 9) -> str:
    return f"51 ({name}) R 1 1 1 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0 {start}{' 0' * 15} 17 {cpu} 0 0\n"


def _frame(before: dict[str, str], now: dict[str, str], *, seconds: float = 1) -> Frame:
    return frame_of(
        Sample(tick=0, monotonic_ns=0, wall_ns=0, texts=before),
        Sample(tick=1, monotonic_ns=int(seconds * _SECOND), wall_ns=5, missed=2, texts=now),
    )


@pytest.mark.parametrize(
    ("before", "now", "load"),
    [
        ("cpu0 100 0 0 100 0 0 0 0 0 0", "cpu0 150 0 0 150 0 0 0 0 0 0", 0.5),
        ("cpu0 0 0 0 0 0 0 0 0", "cpu0 10 10 10 25 25 10 10 0", 0.5),
        ("cpu0 0 0 0 0 0 0 0 0", "cpu0 10 0 0 30 0 0 0 60", 0.1),
        ("cpu0 0 0 0 0", "cpu0 1 0 0 3", 0.25),
        ("cpu0 7 0 0 7", "cpu0 7 0 0 7", None),
        ("", "cpu0 7 0 0 7", None),
    ],
    ids=["half", "waiting is not working", "stolen time is not ours", "old kernel", "no time passed", "new core"],
)
def test_load_of_a_core(before: str, now: str, load: float | None) -> None:
    frame = _frame({"/proc/stat": f"cpu  1 1 1 1\n{before}\nintr 5\n"}, {"/proc/stat": f"{now}\n"})

    assert [core.load for core in frame.cores] == [pytest.approx(load)]


def test_memory_swap_and_heat() -> None:
    meminfo = "MemTotal: 100 kB\nMemAvailable: 40 kB\nSwapTotal: 20 kB\nSwapFree: 5 kB\n"
    zones = {f"/sys/class/thermal/thermal_zone{zone}/temp": f"{heat}\n" for zone, heat in ((0, 51_000), (1, 63_500))}
    frame = _frame(
        {"/proc/vmstat": "pswpin 100\npswpout 200\n"},
        {"/proc/vmstat": "pswpin 150\npswpout 200\n", "/proc/meminfo": meminfo, **zones},
        seconds=2,
    )

    assert (frame.available, frame.total, frame.swap_used) == (40 * 1024, 100 * 1024, 15 * 1024)
    assert (frame.swap_in_per_s, frame.swap_out_per_s) == (25.0, 0.0)
    assert (frame.hottest_zone, frame.missed, frame.wall_ns) == (63.5, 2, 5)


def test_nothing_is_known_of_an_empty_sample() -> None:
    frame = _frame({}, {})

    assert frame == Frame(
        wall_ns=5,
        missed=2,
        cores=(),
        hottest_zone=None,
        gpus=(),
        available=None,
        total=None,
        swap_used=None,
        swap_in_per_s=None,
        swap_out_per_s=None,
        threads=(),
    )


def test_counters_that_go_back_tell_no_rate() -> None:
    assert _frame({"/proc/vmstat": "pswpin 9\n"}, {"/proc/vmstat": "pswpin 1\n"}).swap_in_per_s is None


def test_the_gpu_is_asked_by_name() -> None:
    (query,) = (" ".join(read.argv) for read in WATCH_READS if isinstance(read, ReadCommand))
    frame = _frame({}, {query: "0, NVIDIA GB10, x, 580, x, P0, 61, 97, 80.5, [N/A], 2300, 3003, [N/A]\n"})

    assert [(gpu.utilization.value, gpu.temperature.value) for gpu in frame.gpus] == [(0.97, 61.0)]


def test_clocks_of_cores_where_they_are_told() -> None:
    """In Hertz; a core without a clock has none, and a word that is no number is none either."""
    clock = "/sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq"
    stats = ("cpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n", "cpu0 9 0 0 9 0 0 0 0\ncpu1 9 0 0 9 0 0 0 0\n")
    frame = _frame(
        {"/proc/stat": stats[0]}, {"/proc/stat": stats[1], clock.format(0): "2808000\n", clock.format(1): "x"}
    )

    assert [(core.cpu, core.load, core.clock_hz) for core in frame.cores] == [(0, 0.5, 2.808e9), (1, 0.5, None)]


def test_hottest_threads_first() -> None:
    other = "/proc/50/task/52/stat"
    frame = _frame(
        {_TASK: _stat(100), other: _stat(0, name="a) b")},
        {_TASK: _stat(150), other: _stat(99, name="a) b", cpu=3)},
    )

    assert [(one.tid, one.name, one.cpu, one.share) for one in frame.threads] == [
        (52, "a) b", 3, 0.99),
        (51, "spin", 7, 0.5),
    ]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ({_TASK: _stat(100)}, {_TASK: _stat(101)}),
        ({_TASK: _stat(100)}, {_TASK: _stat(100)}),
        ({}, {_TASK: _stat(100)}),
        ({_TASK: _stat(0, start=1)}, {_TASK: _stat(100, start=2)}),
        ({_TASK: "torn"}, {_TASK: _stat(100)}),
        ({_TASK: _stat(0)}, {_TASK: "51 (x) R 1 x"}),
    ],
    ids=["hardly busy", "asleep", "new", "another thread of that number", "torn before", "torn now"],
)
def test_threads_that_are_not_hot(before: dict[str, str], now: dict[str, str]) -> None:
    assert _frame(before, now).threads == ()


def test_no_time_between_samples_tells_nothing() -> None:
    frame = _frame(
        {_TASK: _stat(0), "/proc/vmstat": "pswpin 1\n"}, {_TASK: _stat(9), "/proc/vmstat": "pswpin 2\n"}, seconds=0
    )

    assert (frame.threads, frame.swap_in_per_s) == ((), None)

"""What guards see of a node: what it tells, and why they do not see the rest."""

import pytest

from sparktune.host.guard_ticks import GUARD_READS, host_tick, why_missing
from sparktune.model.guard import GpuTick, HostTick
from sparktune.model.reads import ReadCommand
from sparktune.model.sample import Sample

_GPU, _PROCESSES = (" ".join(read.argv) for read in GUARD_READS if isinstance(read, ReadCommand))
_ROW = "0, NVIDIA GB10, 0000000F:01:00.0, 580.95.05, 9A.0, P0, 62, 96, 14.20, [N/A], 611, 3003, [N/A]\n"
_ZONE = "/sys/class/thermal/thermal_zone0/temp"


def _tick(texts: dict[str, str], ours: set[int] | None = None) -> HostTick:
    return host_tick("spark1", Sample(tick=0, monotonic_ns=1, wall_ns=2, texts=texts), ours)


def test_everything_that_a_spark_tells() -> None:
    tick = _tick(
        {
            "/proc/meminfo": "MemTotal: 100 kB\nMemFree: 10 kB\nMemAvailable: 40 kB\n",
            "/proc/vmstat": "pswpin 3\npswpout 4\noom_kill 1\n",
            "/proc/pressure/memory": "some avg10=0.00 avg60=0.00 avg300=0.00 total=9\n"
            "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n",
            "/dev/kmsg": "2\nNVRM: the last",
            _ZONE: "53100\n",
            _GPU: _ROW,
            _PROCESSES: "77, /usr/bin/python3, 90000\n78, other, [N/A]\n",
        },
        {77},
    )

    assert (tick.total, tick.free, tick.available) == (102400, 10240, 40960)
    assert (tick.swapped_in_pages, tick.swapped_out_pages, tick.oom_kills) == (3, 4, 1)
    assert tick.memory_stall_ns == 7000
    assert (tick.driver_lines, tick.driver_line) == (2, "NVRM: the last")
    assert tick.hottest == 62.0, "the GPU is hotter than the zone"
    assert tick.gpus == (GpuTick(sm_clock=611e6, power=14.2, temperature=62.0, utilisation=0.96),)
    assert [(one.pid, one.memory, one.ours) for one in tick.gpu_processes or ()] == [
        (77, 90000 * 1024**2, True),
        (78, None, False),
    ]


def test_a_node_that_tells_nothing_has_no_zeros() -> None:
    assert _tick({}) == HostTick(node="spark1", monotonic_ns=1, wall_ns=2)


def test_whose_processes_are_is_unknown_unless_it_was_said() -> None:
    tick = _tick({_PROCESSES: "77, python3, 1\n"})

    assert [one.ours for one in tick.gpu_processes or ()] == [None]


@pytest.mark.parametrize("text", ["", "-274000", "300000", "hot", "9" * 30])
def test_a_zone_without_a_value_is_no_temperature(text: str) -> None:
    assert _tick({_ZONE: text}).hottest is None


@pytest.mark.parametrize("text", ["", "\nNVRM", "-1\n", "many\n"])
def test_a_count_that_is_none_is_unknown(text: str) -> None:
    assert _tick({"/dev/kmsg": text}).driver_lines is None


def test_why_a_field_is_missing() -> None:
    unread = {"/dev/kmsg": "needs root", _GPU: "it is not installed"}
    sample = Sample(tick=0, monotonic_ns=1, wall_ns=2, texts={"/proc/vmstat": "pswpin 1\n"}, unread=unread)

    assert why_missing(sample, "driver_lines") == "/dev/kmsg: needs root"
    assert why_missing(sample, "gpus") == "nvidia-smi: it is not installed"
    assert why_missing(sample, "gpu_processes") == "nvidia-smi: has not answered yet"
    assert why_missing(sample, "oom_kills") == "/proc/vmstat: does not tell it"

"""Heat, power and clocks of a node, tick by tick: every sensor by a name that stays, and none that tells nothing."""

from fnmatch import fnmatch

from sparktune.host.heat import FIRST_READS, TICK_READS, busy_cores, heat_and_power, sensors_at
from sparktune.model.observed import present
from sparktune.model.reads import ReadCommand, ReadFiles, Readings, ReadLinks
from sparktune.model.sample import Sample

_ZONES = "/sys/class/thermal/thermal_zone{}/temp"
_CHIP = "/sys/class/hwmon/hwmon3"
_QUERY = next(" ".join(read.argv) for read in TICK_READS if isinstance(read, ReadCommand))
_ROW = "0, NVIDIA GB10, 0000000F:01:00.0, 580.95.05, 9A.0, P0, 44, 0, 11.20, [N/A], 208, 3003, [N/A]\n"
_FIRST = {
    _ZONES.format(0): "50000",
    _ZONES.format(1): "52000",
    f"{_CHIP}/name": "spbm",
    f"{_CHIP}/temp1_input": "51000",
    f"{_CHIP}/temp1_label": "cpu_p_clu0",
    f"{_CHIP}/power1_input": "9000000",
    f"{_CHIP}/power1_label": "cpu_p",
    f"{_CHIP}/energy1_input": "5",
}


def _first() -> Readings:
    matches = {
        read.pattern: {path: present(text) for path, text in _FIRST.items() if fnmatch(path, read.pattern)}
        for read in FIRST_READS
        if isinstance(read, ReadFiles)
    }
    links = {read.pattern: {} for read in FIRST_READS if isinstance(read, ReadLinks)}
    return Readings(matches=matches, links=links)


def _sample(at_s: float, **texts: str) -> Sample:
    return Sample(tick=0, monotonic_ns=round(at_s * 1e9), wall_ns=0, texts=texts)


def test_every_sensor_of_a_tick_has_its_name() -> None:
    texts = {
        _ZONES.format(0): "53000",
        _ZONES.format(1): "57500",
        f"{_CHIP}/temp1_input": "56000",
        f"{_CHIP}/power1_input": "12500000",
        "/sys/devices/system/cpu/cpu7/cpufreq/scaling_cur_freq": "3900000\n",
        _QUERY: _ROW,
    }

    heat, power, clock = sensors_at(_first(), _sample(1, **texts), 7)

    assert heat == {"zone 0": 53.0, "zone 1": 57.5, "spbm cpu_p_clu0": 56.0, "GPU 0": 44.0}
    assert power == {"spbm cpu_p": 12.5, "GPU 0 power": 11.2}
    assert clock == 3.9e9


def test_what_tells_nothing_now_is_not_there_and_is_never_an_old_value() -> None:
    """A sensor that fell silent must not go on with what it said first."""
    heat, power, clock = sensors_at(_first(), _sample(1, **{_ZONES.format(0): "53000"}), None)

    assert heat == {"zone 0": 53.0}
    assert power == {}
    assert clock is None


def test_a_machine_without_sensors_tells_none() -> None:
    assert heat_and_power(Readings()) == ({}, {})


def test_cores_in_use_are_counted_from_ticks_of_the_whole_node() -> None:
    before = _sample(10, **{"/proc/stat": "cpu  100 0 50 900 5 0 5 0 0 0\ncpu0 1 1\n"})
    after = _sample(20, **{"/proc/stat": "cpu  1600 0 550 9900 25 0 5 0 0 0\ncpu0 1 1\n"})

    assert busy_cores(before, after) == 2.0
    assert busy_cores(before, _sample(20)) is None
    assert busy_cores(before, before) is None

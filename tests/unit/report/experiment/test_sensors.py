"""Readings of sensors in the table of visits: nobody reads bytes in scientific notation at night."""

import pytest

from sparktune.report.experiment.sensors import sensor_words


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("spark1 temperature_c", 58.5, "spark1 58.5 °C"),
        ("spark1 mem_available_bytes", 65_000_000_000.0, "spark1 60.54 GiB free"),
        ("spark2 mem_available_bytes@end", 3.0 * 2**30, "spark2 3 GiB free at the end"),
        ("local gpu_clock_hz", 2.4e9, "local 2,400 MHz"),
        ("local fan_rpm", 1200.0, "local 1,200 fan_rpm"),
    ],
)
def test_a_reading_has_its_unit(name: str, value: float, words: str) -> None:
    assert sensor_words(name, value) == words

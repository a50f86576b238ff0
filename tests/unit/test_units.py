"""The only place that rounds and formats: a wrong digit here is a wrong number everywhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.units import (
    count_of,
    format_bytes,
    format_chance,
    format_count,
    format_duration,
    format_percent,
    format_rate,
    format_seconds,
    seconds_between,
    whole_count,
    whole_number,
)


@pytest.mark.parametrize(
    ("start_ns", "end_ns", "expected"),
    [(0, 1_500_000_000, 1.5), (7, 7, 0.0), (2_000_000_000, 1_000_000_000, -1.0)],
    ids=["forward", "same instant", "backward stays visible"],
)
def test_seconds_between(start_ns: int, end_ns: int, expected: float) -> None:
    assert seconds_between(start_ns, end_ns) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, "0 us"),
        (0.000_042, "42 us"),
        (-0.000_042, "-42 us"),
        (0.001, "1.00 ms"),
        (0.009_87, "9.87 ms"),
        (0.2, "200.0 ms"),
        (1.0, "1.000 s"),
        (12.345, "12.35 s"),
        (123.456, "123.5 s"),
        (-123.456, "-123.5 s"),
    ],
)
def test_format_seconds(value: float, expected: str) -> None:
    assert format_seconds(value) == expected


@pytest.mark.parametrize(("number", "said"), [(0, "0 cells"), (1, "1 cell"), (3, "3 cells"), (1200, "1,200 cells")])
def test_one_thing_is_not_many(number: int, said: str) -> None:
    assert count_of(number, "cell") == said


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (-5.0, "0 s"),
        (0.4, "0 s"),
        (42.0, "42 s"),
        (59.6, "1 min 00 s"),
        (185.0, "3 min 05 s"),
        (3599.6, "1 h 00 min"),
        (7800.0, "2 h 10 min"),
    ],
)
def test_format_duration(value: float, expected: str) -> None:
    """A rounded second carries over: never "60 s" or "60 min"."""
    assert format_duration(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0, "0.00"), (9.87, "9.87"), (36.24, "36.2"), (951.84, "951.8"), (1234.5, "1,234"), (42_051.0, "42,051")],
)
def test_format_rate(value: float, expected: str) -> None:
    assert format_rate(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1536, "1.5 KiB"),
        (93 * 1024**2, "93.0 MiB"),
        (3 * 1024**3, "3.0 GiB"),
        (5 * 1024**4, "5.0 TiB"),
        (-2048, "-2.0 KiB"),
    ],
)
def test_format_bytes(value: int, expected: str) -> None:
    assert format_bytes(value) == expected


@pytest.mark.parametrize(
    ("value", "signed", "expected"),
    [(0.0251, False, "2.5 %"), (0.0251, True, "+2.5 %"), (-0.1, True, "-10.0 %"), (17.55, False, "1755.0 %")],
)
def test_format_percent(value: float, *, signed: bool, expected: str) -> None:
    assert format_percent(value, signed=signed) == expected


def test_format_count() -> None:
    assert format_count(1_234_567) == "1,234,567"


_SCALE = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


@given(st.floats(min_value=0.001, max_value=1e6))
def test_a_formatted_time_is_the_time(value: float) -> None:
    """To three digits; the reader of a table compares what is printed."""
    number, unit = format_seconds(value).split()

    assert float(number) * _SCALE[unit] == pytest.approx(value, rel=0.006)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, "below 5 %"),
        (0.049, "below 5 %"),
        (0.05, "about 10 %"),
        (0.583, "about 60 %"),
        (0.94, "about 90 %"),
        (0.96, "above 95 %"),
    ],
)
def test_a_chance_has_no_more_digits_than_it_is_known_by(value: float, expected: str) -> None:
    assert format_chance(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (64, 64),
        (64.0, 64),
        (-1.0, -1),
        (0, 0),
        (64.5, None),
        (2.0**60, None),
        (float("inf"), None),
        (float("nan"), None),
        (True, None),
        ("64", None),
        (None, None),
    ],
)
def test_a_whole_number_is_one_however_it_is_written(value: object, expected: int | None) -> None:
    assert whole_number(value) == expected
    assert not isinstance(whole_number(value), float)
    assert whole_count(value) == (None if expected == -1 else expected), "nothing is counted below 0"

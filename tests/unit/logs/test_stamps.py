"""Times without year or zone: placed by what is known, and by nothing else."""

from datetime import UTC, datetime

import pytest

from sparktune.logs.stamps import Stamp, offset_between, resolve
from sparktune.logs.written import stamp_in


def _at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def _stamp(text: str) -> Stamp:
    stamp = stamp_in(text)
    assert stamp is not None
    return stamp


@pytest.mark.parametrize(
    ("written", "reference", "time"),
    [
        ("11-14 14:26:16", "2026-11-20", "2026-11-14T14:26:16"),
        ("12-31 23:00:00", "2027-01-02", "2026-12-31T23:00:00"),
        ("01-01 00:00:00", "2026-12-31", "2027-01-01T00:00:00"),
        ("Feb 29 12:00:00", "2027-03-01", "2028-02-29T12:00:00"),
        ("1114 14:26:16.5", "2026-11-20", "2026-11-14T14:26:16.5"),
        ("2025-11-14 14:26:16,250", "2026-11-20", "2025-11-14T14:26:16.25"),
        ("2025-11-14T14:26:16+0130", "2026-11-20", "2025-11-14T12:56:16"),
        ("2025-11-14T14:26:16-08:00", "2026-11-20", "2025-11-14T22:26:16"),
    ],
)
def test_the_year_is_the_nearest_one(written: str, reference: str, time: str) -> None:
    assert resolve(_stamp(written), _at(reference)) == pytest.approx(_at(time), rel=0, abs=0.01)


@pytest.mark.parametrize("written", ["02-30 12:00:00", "13-01 12:00:00", "11-14 25:00:00", "2026-02-29 12:00:00"])
def test_a_moment_that_does_not_exist_is_none(written: str) -> None:
    assert resolve(_stamp(written), _at("2026-11-20")) is None


@pytest.mark.parametrize("reference", [None, 1e300, float("nan"), -1e18])
def test_without_a_reference_that_can_be_there_is_no_time(reference: float | None) -> None:
    assert resolve(_stamp("11-14 14:26:16"), reference) is None


@pytest.mark.parametrize("written", ["Foo 14 14:26:16", "yesterday", ""])
def test_what_is_no_stamp(written: str) -> None:
    assert stamp_in(written) is None


@pytest.mark.parametrize(
    ("written", "offset_s"),
    [
        ("11-14 14:26:16", 3600.0),
        ("11-14 08:26:17", -5 * 3600.0),
        ("11-14 18:56:15", 5.5 * 3600.0),
        ("11-14 13:26:16", 0.0),
        ("11-14 13:33:00", None),  # seven minutes are no zone: these are two moments
        ("11-16 13:26:16", None),
        ("2026-11-14T14:26:16Z", None),
        ("02-30 14:26:16", None),
    ],
)
def test_the_zone_of_a_line_with_two_stamps(written: str, offset_s: float | None) -> None:
    assert offset_between(_at("2026-11-14T13:26:16"), _stamp(written)) == offset_s

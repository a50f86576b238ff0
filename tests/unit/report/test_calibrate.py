"""The calibration's page: unknown is said, the knee is explained, JSON keeps its schema."""

from dataclasses import replace

import pytest
from tests.support.schemas import promised

from sparktune.model.calibration import Accuracy, Calibration, Knee, Limit, Load, LoadResult, Spread
from sparktune.report.calibrate import calibration_json, calibration_text, columns

_SMALL = Spread(n=8, median=0.000004, mean=0.000005, p99=None, maximum=0.000012)
_MANY = Spread(n=800, median=0.0, mean=0.000002, p99=0.00001, maximum=0.002)
_POINT = LoadResult(
    load=Load(concurrency=8, ttft_s=0.2, itl_s=0.01, chunks=100, waves=1),
    accuracy=Accuracy(
        requests=8,
        failed=0,
        chunks=800,
        tokens=800,
        stamp_s=_MANY,
        ttft_s=_SMALL,
        rate=Spread(n=8, median=0.00001, mean=0.00002, p99=None, maximum=0.00004),
    ),
    written_per_s=799.2,
    late_max_s=0.0019,
    wave_cpu_s_per_1k=0.0191,
    decode_cpu_s_per_1k=0.0043,
    health=(),
)
_NOTHING = replace(
    _POINT,
    accuracy=Accuracy(requests=8, failed=8, chunks=0, tokens=0, stamp_s=None, ttft_s=None, rate=None),
    written_per_s=None,
    wave_cpu_s_per_1k=None,
    decode_cpu_s_per_1k=None,
)


def _calibration(limit: Limit, held_per_s: float | None, *points: LoadResult) -> Calibration:
    return Calibration(
        points=points or (_POINT,),
        knee=Knee(steps=((_POINT, limit),), held_per_s=held_per_s, limit=limit, allowed=0.01),
        tool_version="1.2.3",
        python="3.11.7",
        kernel="6.11",
        machine="aarch64",
        cores=20,
    )


def _rows_of_8(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines() if line.startswith("      8 ")]


def test_row_shows_every_figure() -> None:
    text = calibration_text(_calibration(Limit.NONE, 799.2))
    times, cost = _rows_of_8(text)

    assert times == ["8", "799", "0", "us", "10", "us", "2.00", "ms", "4", "us", "-", "12", "us"]
    assert cost == ["8", "0.004", "%", "0.0191", "0.0043", "user"]


@pytest.mark.parametrize("limit", Limit)
def test_text_fits_a_terminal_of_eighty_columns(limit: Limit) -> None:
    """A table that breaks in the middle of a word is not read."""
    slow = Spread(n=800, median=0.9999, mean=0.9999, p99=0.9999, maximum=0.9999)
    wide = replace(
        _POINT,
        load=replace(_POINT.load, concurrency=1024),
        accuracy=replace(_POINT.accuracy, stamp_s=slow, ttft_s=slow, rate=slow, failed=8),
        written_per_s=102_400.0,
        late_max_s=0.9999,
    )
    found = _calibration(limit, 102_400.0, wide, _NOTHING)
    found = replace(found, knee=replace(found.knee, steps=((wide, limit), (_NOTHING, limit))))

    assert max(map(len, calibration_text(found).splitlines())) <= 80


@pytest.mark.parametrize(
    ("limit", "held_per_s", "said"),
    [
        (Limit.NONE, 799.2, "799 chunks/s held with every error within 1.0 %; no faster step was tried"),
        (Limit.CLIENT, 799.2, "the next step did not hold in two tries"),
        (Limit.SERVER, 799.2, "what this client can do beyond is unknown"),
        (Limit.CLIENT, None, "No step held: errors passed 1.0 %"),
        (Limit.SERVER, None, "No step held: the server itself was too slow"),
    ],
)
def test_knee_is_explained(limit: Limit, held_per_s: float | None, said: str) -> None:
    text = " ".join(calibration_text(_calibration(limit, held_per_s)).split())

    assert said in text
    assert "as a share of the TTFT (200.0 ms)" in text


def test_requests_that_failed_are_no_errors_of_the_client() -> None:
    """With too few open files nothing passed 1 %: most of it was never measured, and "errors passed" sends astray."""
    lost = replace(_NOTHING, written_per_s=799.2, failed_how="connect: Too many open files")
    found = _calibration(Limit.CLIENT, None)
    found = replace(found, knee=replace(found.knee, steps=((lost, Limit.CLIENT), (lost, Limit.CLIENT))))
    text = " ".join(calibration_text(found).split())

    assert "No step held: requests did not end well." in text
    assert text.count("8 of 8 requests did not end well (connect: Too many open files)") == 1


def test_a_search_that_was_never_made_is_not_shown() -> None:
    found = _calibration(Limit.NONE, None)

    assert "chunks/s held" not in calibration_text(replace(found, knee=replace(found.knee, steps=())))


def test_unknown_is_never_zero() -> None:
    text = calibration_text(_calibration(Limit.CLIENT, None, _NOTHING))
    record = promised("calibrate", calibration_json(_calibration(Limit.CLIENT, None, _NOTHING)))

    assert _rows_of_8(text) == [["8", *["unknown"] * 7], ["8", *["unknown"] * 3, "user"]]
    assert "8 streams at 800 chunks/s: 8 of 8 requests did not end well; they are in no figure" in " ".join(
        text.split()
    )
    assert record["points"][0]["stamp_error_s"] is None
    assert record["points"][0]["why"] == "no request ended well"


def test_json_has_its_schema() -> None:
    record = promised("calibrate", calibration_json(_calibration(Limit.CLIENT, 799.2)))

    assert (record["schema"], record["knee"]["held_chunks_per_s"], record["knee"]["limit"]) == (1, 799.2, "client")
    assert record["points"][0]["ttft_error_s"] == {
        "n": 8,
        "median": 0.000004,
        "mean": 0.000005,
        "p99": None,
        "max": 0.000012,
        "why": "p99: fewer than 459 values; the maximum is given",
    }
    assert record["points"][0]["asked_chunks_per_s"] == pytest.approx(800)


def test_columns_are_aligned() -> None:
    assert columns([("a", "bb"), ("ccc", "d")]) == "  a  bb\nccc   d"

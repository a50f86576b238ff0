"""Lines of every program that writes into an engine's log, each with what is to be read of it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.support.yaml_cases import load_yaml

from sparktune.logs.line import LONGEST
from sparktune.logs.lines import clean, read_line, read_lines, states_of
from sparktune.logs.stamps import resolve

_CASES = load_yaml(Path(__file__).parents[2] / "cases" / "logs_lines.yaml")
_REFERENCE_S = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()


@pytest.mark.parametrize("case", _CASES, ids=[case["name"] for case in _CASES])
def test_what_is_read_of_a_line(case: dict[str, Any]) -> None:
    read = [
        {
            "text": line.text,
            "level": line.level,
            "process": line.process,
            "source": line.source,
            "time": None if line.stamp is None else resolve(line.stamp, _REFERENCE_S),
        }
        for line in read_lines(clean(case["raw"].encode()), 1)
    ]
    assert read == [_expected(line) for line in case["lines"]]


def _expected(line: dict[str, Any]) -> dict[str, Any]:
    time = line.get("time")
    return {
        "text": line["text"],
        "level": line.get("level", ""),
        "process": line.get("process", ""),
        "source": line.get("source", ""),
        "time": None if time is None else pytest.approx(datetime.fromisoformat(time).timestamp(), abs=1e-5),
    }


def test_bytes_that_are_no_text_stay_visible_as_such() -> None:
    assert read_line(b"ERROR 11-14 14:26:16 [a.py:1] \xff\xfe boom", 1).text == "\ufffd\ufffd boom"


def test_a_very_long_line_is_cut() -> None:
    assert len(read_line(b"x" * 10 * LONGEST, 1).text) == LONGEST


def test_deeply_nested_json_is_a_text() -> None:
    deep = b'{"log":' + b"[" * 5000 + b"]" * 5000 + b"}"
    assert read_line(deep, 1).text == deep.decode()


def test_a_bar_that_was_never_drawn_shows_nothing() -> None:
    assert states_of(b"\r\r") == []

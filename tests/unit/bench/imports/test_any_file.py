"""Whatever a file holds, reading and judging it ends with an answer or with an error that a person can act on."""

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.yaml_cases import yaml_cases

from sparktune.bench.imports import SourceFile, combine_tables, read_table
from sparktune.errors import UsageError
from sparktune.experiment.table_verdict import judge_table
from sparktune.report.check import check_json, check_text

_FOLDER = Path(__file__).parents[3] / "cases"
_FILES = [
    (case["name"], case.get("as", f"case.{form}"), case["file"].encode())
    for form, case in (param.values for param in yaml_cases(_FOLDER / "imports"))
    if "error" not in case
]
_FILES += [(path.stem, path.name, path.read_bytes()) for path in sorted((_FOLDER / "check").glob("*.csv"))]
_IDS = [name for name, _, _ in _FILES]
_ODD = (b"", b"-1", b"0", b"1e308", b"-1e308", b"NaN", b"null", b'""', b"[]", b"{}", b"9" * 400, b"true", b"\xff")


def _judged(name: str, data: bytes) -> None:
    """Read, judge and print; a user's error is an answer too."""
    try:
        table = read_table(SourceFile(name=name, data=data))
    except UsageError as error:
        refused = error
    else:
        refused = None
    if refused is not None:
        assert str(refused)
        assert refused.hint
        return
    judgement = judge_table(combine_tables([table]))
    assert check_json(judgement)
    assert check_text(judgement, width=80).startswith(judgement.verdict.value)


@pytest.mark.parametrize(("name", "data"), [(name, data) for _, name, data in _FILES], ids=_IDS)
def test_a_file_that_was_cut_off(name: str, data: bytes) -> None:
    """A disk that was full, a download that broke."""
    step = max(1, len(data) // 25)

    for end in range(0, len(data), step):
        _judged(name, data[:end])


@pytest.mark.parametrize(("name", "data"), [(name, data) for _, name, data in _FILES], ids=_IDS)
def test_a_file_with_other_values_in_it(name: str, data: bytes) -> None:
    """Numbers that are none, too large, or of another kind, wherever a number is."""
    draw = random.Random(7)
    places = [place for place, byte in enumerate(data) if byte in b"0123456789"]

    for place in draw.sample(places, min(20, len(places))):
        end = place
        while end < len(data) and data[end] in b"0123456789.":
            end += 1
        _judged(name, data[:place] + draw.choice(_ODD) + data[end:])


@given(data=st.binary(max_size=300))
def test_bytes_of_any_kind(data: bytes) -> None:
    _judged("any.csv", data)


_NUMBERS = st.integers(min_value=-1, max_value=10**12) | st.floats(allow_nan=True) | st.none() | st.text(max_size=4)
_HEADS = ("prompt_tokens", "output_tokens", "depth", "concurrency", "arm", "trial", "ttft_s", "output_tok_s")


@given(
    heads=st.lists(st.sampled_from(_HEADS), min_size=1, unique=True),
    rows=st.lists(st.lists(_NUMBERS, min_size=len(_HEADS), max_size=len(_HEADS)), min_size=1, max_size=8),
)
def test_any_numbers_under_known_heads(heads: list[str], rows: list[list[Any]]) -> None:
    lines = [",".join(heads), *(",".join(str(value) for value in row[: len(heads)]) for row in rows)]

    _judged("any.csv", "\n".join(lines).encode("utf-8", "replace"))


_POSITIVE = st.floats(min_value=1e-6, max_value=1e9)


@given(
    rows=st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 3), _POSITIVE, _POSITIVE), min_size=1, max_size=12)
)
def test_any_two_arms(rows: list[tuple[str, int, float, float]]) -> None:
    lines = [f"{arm},{trial},8192,1,{ttft!r},{rate!r}" for arm, trial, ttft, rate in rows]

    _judged("any.csv", "\n".join(["arm,trial,prompt_tokens,concurrency,ttft_s,output_tok_s", *lines]).encode())

"""The cells are what gets measured: one too few is a question that is never answered."""

import pytest

from sparktune.bench.cells import make_cells, parse_numbers
from sparktune.errors import UsageError


@pytest.mark.parametrize(
    ("text", "expected"),
    [("512", (512,)), ("128,512,2048", (128, 512, 2048)), ("1 2,4", (1, 2, 4)), ("2,2,1", (2, 1)), ("8,", (8,))],
)
def test_reads_lists(text: str, expected: tuple[int, ...]) -> None:
    assert parse_numbers(text, flag="--pp") == expected


@pytest.mark.parametrize("text", ["", ",", "0", "-1", "1.5", "1k", "many", "٣"])
def test_says_which_flag_and_part_is_wrong(text: str) -> None:
    with pytest.raises(UsageError, match="--pp") as caught:
        parse_numbers(text, flag="--pp")

    assert "--pp 128,512,2048" in caught.value.hint


def test_zero_is_a_depth() -> None:
    assert parse_numbers("0,4096", flag="--depth", smallest=0) == (0, 4096)


def test_every_combination_once_with_concurrency_fastest() -> None:
    labels = [cell.label for cell in make_cells((8, 16), (4,), (0, 32), (1, 2))]

    assert labels == [
        "pp8 tg4 c1",
        "pp8 tg4 c2",
        "pp16 tg4 c1",
        "pp16 tg4 c2",
        "pp8 tg4 @ d32 c1",
        "pp8 tg4 @ d32 c2",
        "pp16 tg4 @ d32 c1",
        "pp16 tg4 @ d32 c2",
    ]

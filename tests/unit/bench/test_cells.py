"""The cells are what gets measured: one too few is a question that is never answered."""

from collections.abc import Sequence

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


@pytest.mark.parametrize("text", ["1000000001", "9" * 30, "9" * 5_000])
def test_refuses_numbers_that_no_server_takes(text: str) -> None:
    """Python itself refuses to read numbers of more than 4,300 digits, with an error that names no flag."""
    with pytest.raises(UsageError, match="up to 1000000000") as caught:
        parse_numbers(text, flag="--pp")

    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("lists", "words"),
    [
        (((512,), (128,), (0,), (1, 1_000_000_000)), "a concurrency of 1000000000"),
        ((range(1, 1_000), range(1, 1_000), range(1_000), range(1, 1_000)), "make 997002999000 cells"),
    ],
)
def test_a_zero_too_many_does_not_take_the_memory_of_the_machine(
    lists: tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[int]], words: str
) -> None:
    """Every prompt of a wave, and every cell of a run, is made before the first request is sent."""
    with pytest.raises(UsageError, match=words):
        make_cells(*lists)

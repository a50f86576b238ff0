"""CPU sets in the kernel's words: a list read wrongly pins a thread to the wrong core."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.host.cpulist import HIGHEST_CPU, CpuSet, format_cpulist, format_mask, parse_cpulist, parse_mask

_SETS = st.frozensets(st.integers(0, 600), max_size=80)


@pytest.mark.parametrize(
    ("text", "cpus"),
    [
        ("0-4,10-14\n", {0, 1, 2, 3, 4, 10, 11, 12, 13, 14}),
        ("0 2  4-5", {0, 2, 4, 5}),
        ("3", {3}),
        ("1,1,0-1", {0, 1}),
        ("0-9:2/4", {0, 1, 4, 5, 8, 9}),
        ("", set()),
        ("  (null)\n", set()),
    ],
)
def test_lists(text: str, cpus: set[int]) -> None:
    assert parse_cpulist(text) == frozenset(cpus)


@pytest.mark.parametrize(
    "text", ["numa", "4-2", "-1", "0-", "1;2", "0-99999999", f"{HIGHEST_CPU + 1}", "٣", "0-7:0/4", "0-7:5/4", "1,,x"]
)
def test_texts_that_are_no_lists(text: str) -> None:
    with pytest.raises(ValueError, match="no CPU"):
        parse_cpulist(text)


@pytest.mark.parametrize(
    ("mask", "cpus"),
    [
        ("f83e0\n", "5-9,15-19"),
        ("07c1f", "0-4,10-14"),
        ("00000001,00000000", "32"),
        ("ff,0000000f", "0-3,32-39"),
        ("0x3", "0-1"),
        ("0", ""),
        ("ffffffffffffffff", "0-63"),
    ],
)
def test_masks(mask: str, cpus: str) -> None:
    assert format_cpulist(parse_mask(mask)) == cpus


@pytest.mark.parametrize("text", ["", "xyz", "-1", "1_0", "1,123456789", ",1", "f" * 40_000])
def test_texts_that_are_no_masks(text: str) -> None:
    with pytest.raises(ValueError, match="no CPU mask"):
        parse_mask(text)


def test_masks_are_written_in_words_of_32_bits() -> None:
    assert format_mask(frozenset({0, 33})) == "2,00000001"
    assert format_mask(frozenset()) == "0"


@given(_SETS)
def test_lists_round_trip(cpus: CpuSet) -> None:
    assert parse_cpulist(format_cpulist(cpus)) == cpus


@given(_SETS)
def test_masks_round_trip(cpus: CpuSet) -> None:
    assert parse_mask(format_mask(cpus)) == cpus


@given(_SETS)
def test_lists_are_the_shortest(cpus: CpuSet) -> None:
    pieces = [piece for piece in format_cpulist(cpus).split(",") if piece]
    starts = {cpu for cpu in cpus if cpu - 1 not in cpus}

    assert len(pieces) == len(starts)


@given(st.text(max_size=40))
def test_any_text_is_a_set_or_a_value_error(text: str) -> None:
    for parse in (parse_cpulist, parse_mask):
        try:
            cpus = parse(text)
        except ValueError:
            continue
        assert all(0 <= cpu <= HIGHEST_CPU * 4 for cpu in cpus)

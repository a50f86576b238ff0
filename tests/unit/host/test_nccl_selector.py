"""NCCL's grammar for devices: what a value selects, as NCCL reads it and not as it looks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.host.nccl_selector import MOST_ENTRIES, parse_selector

_DEVICES = ("rocep1s0f0", "rocep1s0f1", "roceP2p1s0f0", "roceP2p1s0f1")


@pytest.mark.parametrize(
    ("value", "chosen"),
    [
        ("rocep1s0f0", ("rocep1s0f0",)),
        ("rocep1s0f0,roceP2p1s0f0", ("rocep1s0f0", "roceP2p1s0f0")),
        ("rocep1", ("rocep1s0f0", "rocep1s0f1")),
        ("roce", _DEVICES),
        ("=roce", ()),
        ("=rocep1s0f0", ("rocep1s0f0",)),
        ("=rocep1s0f0,rocep1s0f1", ("rocep1s0f0", "rocep1s0f1")),
        ("^rocep1", ("roceP2p1s0f0", "roceP2p1s0f1")),
        ("^=rocep1s0f0", ("rocep1s0f1", "roceP2p1s0f0", "roceP2p1s0f1")),
        ("rocep1s0f0:1", ("rocep1s0f0",)),
        ("", _DEVICES),
        (",,", _DEVICES),
        ("^", ()),
        ("=^rocep1s0f0", ()),
        ("rocep1s0f0,^rocep1s0f1", ("rocep1s0f0",)),
        ("mlx5", ()),
    ],
)
def test_devices_chosen(value: str, chosen: tuple[str, ...]) -> None:
    assert parse_selector(value).choose(_DEVICES) == chosen


@pytest.mark.parametrize(
    ("value", "port", "selected"),
    [
        ("mlx5_0:1", 1, True),
        ("mlx5_0:1", 2, False),
        ("mlx5_0", 2, True),
        ("mlx5_0:-1", 2, True),
        ("mlx5_0:x", 0, True),
        ("mlx5_0:x", 1, False),
        ("^mlx5_0:1", 1, False),
        ("^mlx5_0:1", 2, True),
        ("mlx5_0:2,mlx5_0:1", 1, True),
    ],
)
def test_ports_chosen(value: str, port: int, *, selected: bool) -> None:
    """A port that is no number counts as 0, because NCCL reads it with atoi."""
    assert parse_selector(value).selects("mlx5_0", port) is selected


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("rocep1s0f0, rocep1s0f1", "has a space"),
        ("rocep1s0f0,^rocep1s0f1", "^ counts only at the start"),
        ("=^rocep1s0f0", "^ counts only at the start"),
        ("rocep1s0f0:one", "port is no number"),
        (",".join(f"d{number}" for number in range(MOST_ENTRIES + 1)), "33 entries, of which NCCL keeps 32"),
    ],
)
def test_what_reads_otherwise_than_it_looks_is_named(value: str, words: str) -> None:
    problems = parse_selector(value).problems

    assert any(words in problem for problem in problems)


def test_a_plain_value_has_no_problem() -> None:
    assert parse_selector("^=rocep1s0f0:1,rocep1s0f1").problems == ()


def test_entries_beyond_the_most_are_dropped() -> None:
    value = ",".join(["x"] * MOST_ENTRIES + ["rocep1s0f0"])

    assert parse_selector(value).choose(_DEVICES) == ()


@given(value=st.text(alphabet="^=:,- roce01\n", max_size=40), name=st.text(alphabet="roce01", max_size=6))
def test_excluding_is_the_opposite_of_choosing(value: str, name: str) -> None:
    """``^`` turns every answer around, and no value raises."""
    plain = value.lstrip("^")

    assert parse_selector(f"^{plain}").selects(name) is not parse_selector(plain).selects(name)

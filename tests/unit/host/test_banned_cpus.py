"""The CPUs that irqbalance keeps off, by settings as it reads them; checked against irqbalance 1.9.2 by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.host.banned_cpus import asked, in_force, with_banned
from sparktune.host.cpulist import format_cpulist
from sparktune.model.node import NodeFacts

_NOTHING = NodeFacts(node="spark1")


@pytest.mark.parametrize(
    ("text", "banned"),
    [
        ("IRQBALANCE_BANNED_CPULIST=1\n", "1"),
        ("IRQBALANCE_BANNED_CPULIST= 1 \n", "1"),
        ("IRQBALANCE_BANNED_CPULIST=0,1\n", "0-1"),
        ("IRQBALANCE_BANNED_CPULIST=0 1\n", ""),
        ("IRQBALANCE_BANNED_CPUS=1\nIRQBALANCE_BANNED_CPULIST=1\n", "0"),
        ("IRQBALANCE_BANNED_CPUS=\nIRQBALANCE_BANNED_CPULIST=1\n", "1"),
        ("#IRQBALANCE_BANNED_CPULIST=1\n", ""),
    ],
)
def test_what_is_in_force(text: str, banned: str) -> None:
    assert format_cpulist(in_force(text, _NOTHING)) == banned


@given(st.sets(st.integers(0, 63), min_size=1))
def test_what_is_written_is_in_force(cpus: set[int]) -> None:
    text = with_banned("# mine\nIRQBALANCE_ARGS=-t 5\n", frozenset(cpus))

    assert in_force(text, _NOTHING) == asked(text, _NOTHING) == cpus
    assert text.startswith("# mine\nIRQBALANCE_ARGS=-t 5\n")


@given(st.text(alphabet="IRQBALANCE_BNDCPUST=0123456789,- \\\n#'\"f", max_size=80))
def test_other_text_is_refused_and_nothing_else(text: str) -> None:
    for read in (asked, in_force):
        try:
            read(f"IRQBALANCE_BANNED_CPULIST={text}", _NOTHING)
        except ValueError as error:
            assert str(error)  # noqa: PT017 - any other exception fails the test

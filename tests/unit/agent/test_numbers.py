"""The agent, which stands alone, reads and writes CPU sets as the rest of the program does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.agent.numbers import cpu_mask, cpus_of, format_cpus, mask_of, plain_cpus, same_cpus
from sparktune.host.cpulist import format_cpulist, format_mask, parse_cpulist, parse_mask

_SETS = st.frozensets(st.integers(0, 200), max_size=40)


@given(_SETS)
def test_both_write_and_read_alike(cpus: frozenset[int]) -> None:
    text = format_cpus(cpus)
    assert text == format_cpulist(cpus)
    assert cpus_of(text) == parse_cpulist(text) == cpus
    assert cpus_of(text.replace(",", " ")) == cpus, "as systemd prints it"
    assert mask_of(format_mask(cpus)) == sum(1 << cpu for cpu in cpus)
    assert parse_mask(cpu_mask(cpus, "0")) == cpus


@pytest.mark.parametrize(
    ("like", "mask"), [("fffff", "0001f"), ("f", "1f"), ("00000000,ffffffff", "00000000,0000001f")]
)
def test_a_mask_is_as_wide_as_it_was(like: str, mask: str) -> None:
    """The kernel pads masks to the CPUs that it may have; a tree that is put back must have them so again."""
    assert cpu_mask(range(5), like) == mask


@pytest.mark.parametrize("text", ["x", "1-", "-1", "3-1", "1,2;3", "0-99999999", "1.5", "\u0661"])
def test_what_is_no_list(text: str) -> None:
    with pytest.raises(ValueError, match="no CPU list"):
        cpus_of(text)
    assert not same_cpus(text, text)
    assert plain_cpus(text) == text


@pytest.mark.parametrize("text", ["", "xyz", "1,,2", "-1", "0x", "1 2"])
def test_what_is_no_mask(text: str) -> None:
    with pytest.raises(ValueError, match="no CPU mask"):
        mask_of(text)

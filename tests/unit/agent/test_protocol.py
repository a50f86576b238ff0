"""Names of kept command output: a person must be able to guess them, a file system to hold them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.agent.protocol import command_slug


@pytest.mark.parametrize(
    ("line", "slug"),
    [
        ("uname -a", "uname-a"),
        ("ip -j addr show", "ip-j-addr-show"),
        ("nvidia-smi --query-gpu=name,uuid --format=csv", "nvidia-smi-query-gpu-name-uuid-format-csv"),
        ("systemctl show -p AllowedCPUs init.scope", "systemctl-show-p-AllowedCPUs-init.scope"),
    ],
)
def test_a_slug_reads_like_its_command(line: str, slug: str) -> None:
    assert command_slug(line.split()) == slug


@given(st.lists(st.text(max_size=300), min_size=1, max_size=5))
def test_a_slug_is_a_short_file_name(argv: list[str]) -> None:
    slug = command_slug(argv)

    assert len(slug) < 200
    assert "/" not in slug
    assert not slug.startswith(".")


def test_long_commands_that_end_differently_have_different_slugs() -> None:
    long = ["nvidia-smi", "--query-gpu=" + "x," * 200]

    assert command_slug([*long, "a"]) != command_slug([*long, "b"])

"""Why a node refuses to be changed: each reason is an error of its own, with the next step."""

import pytest

from sparktune.errors import (
    ChangeFailed,
    ExitCode,
    NodeBusy,
    NodeNeedsRoot,
    NodeProtocolError,
    PlanVoid,
    SparktuneError,
)
from sparktune.io.transport.refusals import error_of_refusal


@pytest.mark.parametrize(
    ("kind", "error", "hint"),
    [
        ("busy", NodeBusy, "host status"),
        ("void", PlanVoid, "start anew"),
        ("root", NodeNeedsRoot, "NOPASSWD in /etc/sudoers.d on me@spark"),
        ("journal", ChangeFailed, "/var/lib/sparktune"),
        ("transaction", ChangeFailed, "host status"),
        ("request", NodeProtocolError, "report"),
        ("anything", NodeProtocolError, "report"),
    ],
)
def test_each_kind_is_its_own_error(kind: str, error: type[SparktuneError], hint: str) -> None:
    found = error_of_refusal("spark1", "me@spark", kind, "that is why.")

    assert type(found) is error
    assert str(found).startswith("spark1: ")
    assert str(found).endswith("that is why")
    assert hint in found.hint
    assert found.exit_code is ExitCode.FAILED


def test_on_this_machine_root_is_had_otherwise() -> None:
    assert "with sudo before the same command" in error_of_refusal("local", None, "root", "it is not root").hint


def test_what_a_node_says_cannot_move_the_terminal() -> None:
    """A message comes from a machine that nobody vouches for."""
    found = str(error_of_refusal("spark1", "spark1", "void", "a\x1b[2J\nb" + "x" * 10_000))

    assert found.isprintable()
    assert len(found) < 2100

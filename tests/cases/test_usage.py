"""Command lines that cannot be understood end with one line that says so, and one that leads on.

Usage and a page of options above the error is what scrolls it out of a narrow terminal.
"""

from pathlib import Path
from typing import Any

import pytest
from tests.support.in_process import invoke
from tests.support.yaml_cases import yaml_cases

_CASES = yaml_cases(Path(__file__).parent / "cli")


@pytest.mark.parametrize(("_", "case"), _CASES)
def test_it_says_what_is_wrong_and_what_was_meant(_: str, case: dict[str, Any]) -> None:
    done = invoke(*case["argv"])

    assert done.err.splitlines() == [f"error: {case['error']}", f"hint: {case['hint']}"]
    assert done.code == 2
    assert done.out == ""


def test_a_group_alone_is_answered_by_its_help() -> None:
    done = invoke("lab")

    assert done.code == 2
    assert "Commands:" in done.err
    assert "error:" not in done.err

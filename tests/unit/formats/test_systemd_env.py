"""Settings of a daemon are edited line by line: whatever else an administrator wrote there stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.formats.systemd_env import set_variable, variable


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("#A=1\n; A=2\n", None),
        ("A=1\nA=2\n", "2"),
        ('  A = "1 2" \n', "1 2"),
        ("A=\n", ""),
        ("AB=1\n", None),
        ("# ends in \\\nA=1\n", "1"),
    ],
)
def test_the_last_assignment_counts(text: str, value: str | None) -> None:
    assert variable(text, "A") == value


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "A=9\n"),
        ("B=1", "B=1\nA=9\n"),
        ("#A=\n\nB=1\n", "#A=\nA=9\n\nB=1\n"),
        ("#A=", "#A=\nA=9\n"),
        ("A=1\nB=2\nA=3\n", "A=1\nB=2\nA=9\n"),
        ("A=1\r\nB=2\r\n", "A=9\r\nB=2\r\n"),
        ("A=1", "A=9"),
    ],
)
def test_one_line_changes(before: str, after: str) -> None:
    assert set_variable(before, "A", "9") == after


def test_a_continued_line_is_left_to_its_author() -> None:
    with pytest.raises(ValueError, match="continues"):
        set_variable("A=1 \\\n2\n", "A", "9")


@given(st.lists(st.sampled_from(["A=1", "#A=", "B=2", "", "  ", ";A", "AA=3", "A =4"]), max_size=8), st.booleans())
def test_what_is_set_is_read_and_nothing_else_is_lost(lines: list[str], ends: bool) -> None:  # noqa: FBT001 - drawn
    before = "\n".join(lines) + ("\n" if ends and lines else "")

    after = set_variable(before, "A", "9")

    assert variable(after, "A") == "9"
    kept = [line for line in before.splitlines() if variable(line, "A") is None]
    assert [line for line in after.splitlines() if variable(line, "A") is None] == kept
    assert set_variable(after, "A", "9") == after

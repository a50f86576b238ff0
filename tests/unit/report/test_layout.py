"""Text of any report in a narrow terminal: nothing is cut, no head or word is broken, a command stays on one line."""

import pytest

from sparktune.report.layout import fit_lines, table_text

_HEADS = ("setting", "node", "earned", "status")
_ROWS = [("DSPARK_MAX_INFLIGHT_PREFILLS", "spark1", "2", "UNREADABLE + FILE DRIFT"), ("x", "spark2", "", "OK")]


def test_a_table_that_fits_is_aligned() -> None:
    assert table_text(_HEADS, _ROWS, 80).splitlines() == [
        "setting                       node    earned  status",
        "DSPARK_MAX_INFLIGHT_PREFILLS  spark1  2       UNREADABLE + FILE DRIFT",
        "x                             spark2          OK",
    ]


def test_one_that_can_be_folded_at_blanks_is_folded_there() -> None:
    lines = table_text(_HEADS, _ROWS, 62).splitlines()

    assert lines[0].split() == list(_HEADS)
    assert "UNREADABLE" in lines[1]
    assert "DRIFT" in "".join(lines[1:4])
    assert max(map(len, lines)) <= 62


def test_one_that_cannot_is_records_with_the_heads_in_each() -> None:
    assert table_text(_HEADS, _ROWS, 40).splitlines() == [
        "DSPARK_MAX_INFLIGHT_PREFILLS",
        "  node spark1, earned 2, status",
        "  UNREADABLE + FILE DRIFT",
        "x",
        "  node spark2, status OK",
    ]


@pytest.mark.parametrize("width", range(20, 120, 7))
def test_no_word_is_ever_broken(width: int) -> None:
    said = table_text(_HEADS, _ROWS, width).replace(",", " ").split()

    assert set(said) >= {word for row in _ROWS for cell in row for word in cell.split()}


@pytest.mark.parametrize(
    ("line", "folded"),
    [
        ("short", ["short"]),
        ("  a note that is longer than it", ["  a note that is", "      longer than it"]),
        ("next: sparktune ab show 261129-180000-exp", ["next: sparktune ab show 261129-180000-exp"]),
        ("/a/path/that/nobody/may/cut/anywhere", ["/a/path/that/nobody/may/cut/anywhere"]),
        ("", [""]),
    ],
    ids=["short", "long", "a command", "a path", "nothing"],
)
def test_lines_are_folded_at_blanks_below_their_own_indent(line: str, folded: list[str]) -> None:
    assert fit_lines(f"{line}\n", 22) == "".join(f"{one}\n" for one in folded)


@pytest.mark.parametrize(
    ("line", "folded"),
    [
        (
            "its evidence is for practice: made up by sparktune lab; earn it yourself: sparktune ab agents.yaml",
            [
                "its evidence is for practice: made up by",
                "    sparktune lab; earn it yourself:",
                "    sparktune ab agents.yaml",
            ],
        ),
        (
            "  nobody listens (sparktune logs --live says more), and that was so yesterday, too",
            [
                "  nobody listens",
                "      (sparktune logs --live says more),",
                "      and that was so yesterday, too",
            ],
        ),
        (
            "see it again with: sparktune runs show 261129-180000-exp --json",
            ["see it again with: sparktune runs show 261129-180000-exp --json"],
        ),
        (
            'it was measured with a thing of others: sparktune bench URL --extra-body \'{"a": 1, "b": 2}\'',
            ["it was measured with a thing of others:", '    sparktune bench URL --extra-body \'{"a": 1, "b": 2}\''],
        ),
        (
            "what differs on the nodes is told by: sparktune doctor --nodes spark1,spark2",
            ["what differs on the nodes is told by:", "    sparktune doctor --nodes spark1,spark2"],
        ),
    ],
    ids=["two", "in the middle", "a label alone before it", "quotes", "commas without a blank"],
)
def test_prose_around_a_command_is_folded_and_the_command_is_not(line: str, folded: list[str]) -> None:
    assert fit_lines(f"{line}\n", 40).splitlines() == folded


def test_without_a_known_width_nothing_is_touched() -> None:
    assert fit_lines("x " * 100, None) == "x " * 100


@pytest.mark.parametrize(
    "quantity", ["-36.2 %", "2 min 05 s", "1 h 02 min", "22.4 GiB", "38.4 tok/s", "894.5 ms", "53 C", "2411 MHz"]
)
@pytest.mark.parametrize("width", range(24, 60))
def test_a_number_keeps_its_unit(quantity: str, width: int) -> None:
    """A line that begins with "%, -24.9 %]" is read twice, and a bare number at an end of a line wrongly."""
    line = f"the lower end is {quantity}, and the upper end {quantity}; below is {quantity}"

    assert fit_lines(f"{line}\n", width).count(quantity) == 3
    assert table_text(("what", "says"), [("a", line)], width).count(quantity) == 3


def test_a_number_before_another_word_may_end_a_line() -> None:
    assert fit_lines("it was so for 5 hosts\n", 16).splitlines() == ["it was so for 5", "    hosts"]


@pytest.mark.parametrize(
    ("line", "folded"),
    [
        (
            "hint: check its spelling, or use an IP address; try: getent hosts spark1.lan",
            [
                "hint: check its spelling, or use an IP",
                "    address; try:",
                "    getent hosts spark1.lan",
            ],
        ),
        (
            "hint: write one, as it was shown, with: top -H -b -n 1 > FILE",
            [
                "hint: write one, as it was shown, with:",
                "    top -H -b -n 1 > FILE",
            ],
        ),
        (
            "hint: make one with a benchmark that has ended, then look at it again",
            [
                "hint: make one with a benchmark that has",
                "    ended, then look at it again",
            ],
        ),
        (
            "error: the model '/srv/my models/a b.gguf' cannot be read: No such file",
            [
                "error: the model",
                "    '/srv/my models/a b.gguf' cannot be",
                "    read: No such file",
            ],
        ),
    ],
    ids=["a program", "with signs of a shell", "a word that is a program, too", "a path with blanks"],
)
def test_what_is_copied_out_of_an_error_is_in_one_piece(line: str, folded: list[str]) -> None:
    assert fit_lines(f"{line}\n", 40) == "".join(f"{one}\n" for one in folded)

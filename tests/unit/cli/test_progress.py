"""What is said while a run goes on quotes servers: their words must not steer the terminal that shows them."""

import io

import pytest
from rich.console import Console

from sparktune.cli._progress import LineProgress, TerminalProgress


@pytest.mark.parametrize("kind", [LineProgress, TerminalProgress])
def test_says_foreign_words_in_one_printable_line(kind: type[LineProgress | TerminalProgress]) -> None:
    screen = io.StringIO()
    kind(Console(file=screen, width=20)).say("\x1b[31mred\x9b\x00\na [bold]name[/bold] of some length")

    assert screen.getvalue() == r"\x1b[31mred\x9b\x00 a [bold]name[/bold] of some length" + "\n"

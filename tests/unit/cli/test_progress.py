"""What is said while a run goes on quotes servers: their words must not steer the terminal that shows them."""

import io

import pytest
from rich.console import Console

from sparktune.cli._progress import LineProgress, TerminalProgress
from sparktune.flows.bench.progress import WaveView
from sparktune.model.cell import Cell
from sparktune.model.trial import Phase


@pytest.mark.parametrize("kind", [LineProgress, TerminalProgress])
def test_says_foreign_words_in_one_printable_line(kind: type[LineProgress | TerminalProgress]) -> None:
    screen = io.StringIO()
    kind(Console(file=screen, width=20)).say("\x1b[31mred\x9b\x00\na [bold]name[/bold] of some length")

    assert screen.getvalue() == r"\x1b[31mred\x9b\x00 a [bold]name[/bold] of some length" + "\n"


_SHORT, _LONG = (Cell(prompt_tokens=prompt, output_tokens=64, concurrency=1) for prompt in (512, 8192))


def test_without_a_terminal_a_line_now_and_then_says_how_far_it_is() -> None:
    """A run of two hours in a pipe that says nothing looks as if it had hung; a line per look would drown its log."""
    screen, now = io.StringIO(), 0.0
    progress = LineProgress(Console(file=screen, width=20), lambda: now)

    def look(at_s: float, cell: Cell, done: int, left_s: float | None) -> None:
        nonlocal now
        now = at_s
        phase = Phase.MEASURE if done else Phase.WARMUP
        progress.wave(
            WaveView(cell=cell, phase=phase, waves_done=done, waves_total=20, open_streams=1, tok_s=9.0, left_s=left_s)
        )

    look(1.0, _SHORT, 0, None)
    look(1.5, _SHORT, 0, None)
    look(5.0, _LONG, 4, 50.0)  # too soon
    look(60.9, _SHORT, 5, 40.0)
    look(61.0, _LONG, 10, 125.0)
    look(120.9, _LONG, 11, 65.0)
    look(121.0, _LONG, 12, 65.0)

    assert screen.getvalue().splitlines() == [
        "pp512 tg64 c1: warm-up; 0 of 20 waves done",
        "pp8192 tg64 c1: measuring; 10 of 20 waves done, about 2 min 05 s left",
        "pp8192 tg64 c1: measuring; 12 of 20 waves done, about 1 min 05 s left",
    ]

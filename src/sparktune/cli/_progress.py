"""The progress line of a long command, on stderr, with rich."""

__all__ = ["TerminalProgress", "make_progress"]

import sys
import time
from collections.abc import Callable

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from sparktune.flows.bench.progress import Progress as Listener
from sparktune.flows.bench.progress import SilentProgress, WaveView
from sparktune.model.cell import Cell
from sparktune.model.trial import Phase
from sparktune.report.bench.words import one_line
from sparktune.units import Seconds, format_duration, format_rate

_PHASE_WORDS = {Phase.WARMUP: "warm-up", Phase.CONTEXT: "loading context", Phase.MEASURE: "measuring"}
# Drawing takes the interpreter from the measuring thread for about a millisecond: twice a second is enough to see.
_REDRAWS_PER_S = 2
# Where no bar can be: between two lines about one cell, and about two. A log is read later, by somebody who scrolls.
_SAME_CELL_S, _NEXT_CELL_S = 60.0, 10.0


class TerminalProgress:
    """Draws a bar with the cell, the phase, live tokens per second and the time left."""

    def __init__(self, console: Console) -> None:
        """Start nothing yet: the bar appears with the first wave."""
        self._console = console
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.completed}/{task.total} waves"),
            TextColumn("{task.fields[live]}"),
            console=console,
            transient=True,
            refresh_per_second=_REDRAWS_PER_S,
            auto_refresh=False,
        )
        self._task = self._bar.add_task("", total=None, live="")

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        self._console.print(one_line(text), markup=False, highlight=False, soft_wrap=True)

    def wave(self, view: WaveView) -> None:
        """Redraw the bar."""
        self._bar.start()
        rate = "" if view.tok_s is None else f"~{format_rate(view.tok_s)} tok/s"
        left = "" if view.left_s is None else f"about {format_duration(view.left_s)} left"
        self._bar.update(
            self._task,
            description=f"{_PHASE_WORDS[view.phase]} {view.cell.label}",
            completed=view.waves_done,
            total=view.waves_total,
            live="  ".join(filter(None, (rate, left))),
        )
        self._bar.refresh()

    def close(self) -> None:
        """Remove the bar."""
        self._bar.stop()


def make_progress(*, quiet: bool) -> Listener:
    """Return a bar on a terminal, plain lines elsewhere, silence when asked for it."""
    if quiet:
        return SilentProgress()
    console = Console(stderr=True)
    return TerminalProgress(console) if sys.stderr.isatty() else LineProgress(console)


class LineProgress(SilentProgress):
    """For logs: prints the lines that should stay, and no bar; a line now and then says how far it is."""

    def __init__(self, console: Console, monotonic_s: Callable[[], Seconds] = time.monotonic) -> None:
        """Print to this console."""
        self._console = console
        self._monotonic_s = monotonic_s
        self._told: tuple[Cell, Seconds] | None = None

    def say(self, text: str) -> None:
        """Print a line."""
        self._console.print(one_line(text), markup=False, highlight=False, soft_wrap=True)

    def wave(self, view: WaveView) -> None:
        """Print a line for the first cell, for each that begins a while after the last line, and each minute."""
        now_s = self._monotonic_s()
        if self._told is not None:
            cell, at_s = self._told
            if now_s - at_s < (_SAME_CELL_S if view.cell == cell else _NEXT_CELL_S):
                return
        self._told = view.cell, now_s
        left = "" if view.left_s is None else f", about {format_duration(view.left_s)} left"
        done = f"{view.waves_done} of {view.waves_total} waves done"
        self.say(f"{view.cell.label}: {_PHASE_WORDS[view.phase]}; {done}{left}")

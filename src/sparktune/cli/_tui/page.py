"""A page behind a key: longer than the screen, scrolled with arrows."""

__all__ = ["Page"]

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from sparktune.cli._tui.words import text_of
from sparktune.report.watch.marks import Line


class Page(VerticalScroll):
    """Without a bar: its title says how much is below, which a terminal without colours shows, too."""

    DEFAULT_CSS = "Page { height: 1fr; width: 100%; scrollbar-size: 0 0; background: transparent; }"

    def __init__(self, moved: Callable[[], None], *, id: str) -> None:  # noqa: A002 # Textual's name for it
        """``moved`` is called when it was scrolled."""
        super().__init__(id=id)
        self._moved = moved

    def compose(self) -> ComposeResult:
        """One text."""
        yield Static(id="page-text")

    def show(self, lines: tuple[Line, ...], *, ascii_only: bool) -> None:
        """Show another state of the page, where it was scrolled to."""
        self.query_one("#page-text", Static).update(text_of(lines, ascii_only=ascii_only))

    @property
    def rows_below(self) -> int:
        """How many rows are below the last one that is shown."""
        return max(0, round(self.max_scroll_y - self.scroll_y))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell that another part is shown."""
        super().watch_scroll_y(old_value, new_value)
        self._moved()

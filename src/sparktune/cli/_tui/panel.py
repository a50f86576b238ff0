"""A panel: lines under a rule."""

__all__ = ["PanelBox"]

from textual.widgets import Static

from sparktune.cli._tui.words import text_of
from sparktune.report.watch.marks import Glyphs, Role, Span
from sparktune.report.watch.view import Panel, ruled


class PanelBox(Static):
    """As high as what it shows; nothing to show takes no row."""

    DEFAULT_CSS = "PanelBox { height: auto; width: 100%; }"

    def show(self, panel: Panel, *, columns: int, ascii_only: bool) -> None:
        """Show another state of the same panel."""
        rule = Glyphs.of(ascii_only=ascii_only).rule
        head = ((Span(ruled(panel.title, columns, rule), Role.HEAD),),) if panel.title else ()
        lines = (*head, *panel.lines)
        self.display = bool(lines)
        self.update(text_of(lines, ascii_only=ascii_only))

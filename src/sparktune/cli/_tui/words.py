"""Words with roles as Textual's text: the one place where a role gets a colour."""

__all__ = ["text_of"]

from collections.abc import Iterable
from typing import Final

from rich.text import Text

from sparktune.report.watch.marks import Line, Role

_STYLES: Final = {
    Role.PLAIN: "",
    Role.HEAD: "bold",
    Role.SOFT: "dim",
    Role.GOOD: "green",
    Role.WARN: "bold yellow",
    Role.BAD: "bold red",
}
"""Colours of the terminal's own palette, so that they fit a light and a dark one; the words say the same."""


def text_of(lines: Iterable[Line], *, ascii_only: bool) -> Text:
    """Return lines as text; letters beyond ASCII as escapes where the terminal knows no others."""
    text = Text(no_wrap=True, overflow="crop")
    for number, line in enumerate(lines):
        if number:
            text.append("\n")
        for span in line:
            shown = span.text.encode("ascii", "backslashreplace").decode() if ascii_only else span.text
            text.append(shown, _STYLES[span.role])
    return text

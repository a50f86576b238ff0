"""A table of words as wide as the terminal; what is longer than its column is folded, nothing is cut."""

__all__ = ["table_text"]

import io
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text


def table_text(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int, fixed: Sequence[str] = ()) -> str:
    """Render rows below their heads; columns that are ``fixed`` stay on one line."""
    console = Console(file=io.StringIO(), width=width, color_system=None, legacy_windows=False, _environ={})
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for head in heads:
        table.add_column(head, no_wrap=head in fixed, overflow="fold")
    for row in rows:
        table.add_row(*(Text(word) for word in row))
    with console.capture() as capture:
        console.print(table)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"

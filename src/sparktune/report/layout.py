"""Text that fits a terminal: a table, the same as records where it would not fit, and long lines with a hanging indent.

Words are never cut: who copies half a path, a digest or a command has nothing. A number keeps its unit beside it.
"""

__all__ = ["fit_lines", "fold", "keep_units", "table_text"]

import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

_BOLD: Final = "1"
_GAP: Final = 2
_HANG: Final = 4
_PROGRAMS: Final = "chmod|docker|getent|llama-benchy|nvidia-smi|pip|ss|ssh|sudo|systemctl|taskset|top|vllm"
_COMMAND: Final = re.compile(
    rf"""(?:sparktune |(?<=: )(?:(?:{_PROGRAMS})|\S*/python[\d.]*) )(?:.*['"].*|(?:(?![,;:]\s|\)|\s\().)+)"""
)
"""Something to type, to the end of the sentence; to the end of the line where it has quotes."""
_PATH: Final = re.compile(r"'(?:~|\.\.?)?/[^']*'")
"""A path in quotes, which may have blanks."""
_QUANTITY: Final = re.compile(
    r"(?<=\d) (?=(?:%|[KMG]iB|tok/s|[mu]?s|min|h|d|C|W|[MG]Hz)(?![\w/]))|(?<=\d [hd]) (?=\d)|(?<=\d min) (?=\d)"
)
"""The blank between a number and its unit, and inside a time like 2 min 05 s."""
_KEPT: Final = "\0"  # stands for a blank that is no place to fold


def table_text(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
    fixed: Sequence[str] = (),
    *,
    tones: Sequence[str] | None = None,
) -> str:
    """Render rows below their heads; cells are folded at blanks, those of ``fixed`` columns never.

    Where not even that fits, each row becomes a record: its first cell, and below it the others with their heads.
    ``tones`` are the SGR codes of the rows' last cells, "" for none; None: no colours, also not for the heads.
    """
    columns = list(zip(heads, *rows, strict=True))
    least = [_least(column, whole=column[0] in fixed) for column in columns]
    room = width - _GAP * (len(least) - 1)
    if sum(least) > room:
        return "".join(f"{line}\n" for row in rows for line in _record(heads, row, width))
    widths = _shrunk([max(map(len, column)) for column in columns], least, room)
    lines = list(_row(heads, widths, ""))
    if tones is not None:
        lines = [_toned(line, _BOLD) for line in lines]
    for row, tone in zip(rows, tones or [""] * len(rows), strict=True):
        lines += _row(row, widths, tone)
    return "\n".join(lines) + "\n"


def fit_lines(text: str, width: int | None) -> str:
    """Return text whose lines fit, folded at blanks below a deeper indent; None leaves it as it is.

    A command stays on one line, for who copies it: a terminal folds what is too long without breaking it.
    """
    if width is None:
        return text
    return "".join(f"{line}\n" for whole in text.splitlines() for line in _folded(whole, width))


def _folded(line: str, width: int) -> Sequence[str]:
    if len(line) <= width or "\x1b" in line or _is_command(line, width):
        return [line]
    bare = line.lstrip(" ")
    indent = " " * (len(line) - len(bare))
    text = _PATH.sub(_kept, _COMMAND.sub(_kept, bare))
    return fold(text, width, indent=indent, hang=indent + " " * _HANG)


def _kept(found: re.Match[str]) -> str:
    return found[0].replace(" ", _KEPT)


def keep_units(text: str, blank: str) -> str:
    """Return text with this in the place of each blank between a number and its unit."""
    return _QUANTITY.sub(blank, text)


def fold(text: str, width: int, *, indent: str = "", hang: str = "") -> list[str]:
    """Return the lines of one paragraph; no word is broken, and no number parts from its unit."""
    lines = textwrap.wrap(
        keep_units(text, _KEPT),
        width,
        initial_indent=indent,
        subsequent_indent=hang,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_KEPT, " ") for line in lines]


def _is_command(line: str, width: int) -> bool:
    """Tell whether a line is a command with a few words before it, and nothing behind."""
    found = _COMMAND.search(line)
    return found is not None and found.end() == len(line) and found.start() <= width // 2


def _shrunk(widths: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Take from the widest column that can be folded until all fit; the least widths together do."""
    found = list(widths)
    while sum(found) > room:
        widest = max((at for at, size in enumerate(found) if size > least[at]), key=lambda at: found[at])
        found[widest] -= 1
    return found


def _row(cells: Sequence[str], widths: Sequence[int], tone: str) -> Iterator[str]:
    """Yield the lines of a row, of which the last cell has a tone."""
    folded = [_words(cell, size) for cell, size in zip(cells, widths, strict=True)]
    for parts in zip_longest(*folded, fillvalue=""):
        *front, last = parts
        line = "".join(f"{part:<{size}}{' ' * _GAP}" for part, size in zip(front, widths, strict=False))
        yield f"{line}{_toned(last, tone)}".rstrip()


def _words(cell: str, width: int) -> list[str]:
    return fold(cell, width) or [""]


def _toned(text: str, tone: str) -> str:
    return f"\x1b[{tone}m{text}\x1b[0m" if tone and text else text


def _least(cells: Sequence[str], *, whole: bool) -> int:
    """Return the width below which a column would have to cut a word, or fold what is not to be folded."""
    words = cells if whole else [word for cell in cells for word in keep_units(cell, _KEPT).split()]
    return max((len(word) for word in words), default=0)


def _record(heads: Sequence[str], row: Sequence[str], width: int) -> Iterator[str]:
    first, *others = row
    yield first
    told = ", ".join(f"{head} {cell}" for head, cell in zip(heads[1:], others, strict=True) if cell)
    yield from fold(told, width, indent="  ", hang="  ")

"""Parts of Markdown that tables for a forum share: texts that mean nothing in it, and lists below a title.

Source: GitHub Flavored Markdown 0.29, backslash escapes and tables.
"""

__all__ = ["escaped", "titled_list"]

import re
from collections.abc import Iterator, Sequence

from sparktune.report.bench.words import one_line

_SPECIAL = str.maketrans({
    "\\": r"\\", "|": r"\|", "<": "&lt;", ">": "&gt;", "*": r"\*", "_": r"\_", "`": r"\`", "[": r"\[", "]": r"\]",
    "#": r"\#", "!": r"\!", "&": "&amp;", "~": r"\~",
})  # fmt: skip
_MENTION = re.compile(r"@(?=\S)")  # an @ that stands alone calls nobody, and is easier to read as it is


def escaped(text: str) -> str:
    """Return a text in one line in which nothing is a mark, a cell's end, an element or somebody's name."""
    return _MENTION.sub("&#64;", one_line(text).translate(_SPECIAL))


def titled_list(title: str, lines: Sequence[str]) -> Iterator[str]:
    """Yield a title and its lines, nothing where there are none."""
    if lines:
        yield from ("", f"{title}:", "")
        yield from (f"- {escaped(line)}" for line in lines)

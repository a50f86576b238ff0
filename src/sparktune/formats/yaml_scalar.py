"""Scalars of YAML: their characters with the places that they were read from, and how a value is written.

What is decoded here is compared with what the parser made of it; where the two differ no place is told.

Source: YAML 1.2, chapters 7 (flow scalars, line folding) and 8 (block scalars, chomping, indentation indicators).
"""

__all__ = ["Edit", "located_scalar", "scalar_forms", "written_start"]

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ruamel.yaml.nodes import ScalarNode

from sparktune.formats.located import Located, one_line

_PROPERTIES = re.compile(r"(?:[&!][^\s,\[\]{}]*[ \t]+)+")
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_NUMBERS = {"x": 2, "u": 4, "U": 8}
_PLAIN = re.compile(r"-{0,2}[A-Za-z0-9_./$](?:[A-Za-z0-9_./+@%=,$ -]|:(?=[^ ]))*(?<! )", re.ASCII)
_NO_TEXT = re.compile(
    r"(?:true|false|null|yes|no|on|off|y|n)|[-+]?[0-9.][0-9._]*(?:e[-+]?[0-9]+)?|0[xob][0-9a-f_]+|[-+]?[0-9]+(?::[0-9]+)+"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9].*|=",
    re.IGNORECASE,
)
_Char = tuple[str, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Characters ``start`` to ``end`` of a file become ``text``."""

    start: int
    end: int
    text: str

    def of(self, text: str) -> str:
        """Return the file's text after the edit."""
        return text[: self.start] + self.text + text[self.end :]


def written_start(text: str, node: ScalarNode) -> int:
    """Return where a scalar itself begins, behind its tag and anchor."""
    start, end = node.start_mark.index, node.end_mark.index
    found = _PROPERTIES.match(text, start, end)
    return found.end() if found else int(start)


def located_scalar(text: str, node: ScalarNode) -> Located:
    """Return the value of a scalar, each character with its place in the file.

    ``encode`` is None, and ``fixed`` says why, where the places are not known.
    """
    start, end = written_start(text, node), int(node.end_mark.index)
    chars: list[_Char]
    if node.style in {"|", ">"}:
        chars = list(_block(text, start, end, folded=node.style == ">"))
        encode = _in_block
    elif node.style == "'":
        start, end = start + 1, end - 1
        chars, encode = list(_folded(text, start, end, _single)), _in_single
    elif node.style == '"':
        start, end = start + 1, end - 1
        chars, encode = list(_folded(text, start, end, _double)), _in_double
    else:
        chars, encode = list(_folded(text, start, end, _plain)), _in_plain
    if chars and node.style in {"|", ">"}:
        start, end = chars[0][1], chars[-1][2]
    found = Located(
        text="".join(one[0] for one in chars),
        starts=tuple(one[1] for one in chars),
        ends=tuple(one[2] for one in chars),
        before=start,
        after=end,
        encode=encode,
    )
    if found.text == node.value:
        return found
    value = str(node.value)
    nowhere = (start,) * len(value)
    return replace(found, text=value, starts=nowhere, ends=nowhere, encode=None, fixed="its form is not understood")


def _in_plain(text: str) -> str:
    return one_line(text)


def _in_block(text: str) -> str:
    return one_line(text)


def _in_single(text: str) -> str:
    return one_line(text).replace("'", "''")


def _in_double(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def scalar_forms(value: str, like: str | None, *, typed: bool = False) -> tuple[str, ...]:
    """Return ways to write a value, the best first: in the style of the one that it replaces, if it can be.

    ``like`` is the style of that: "", ``'`` or ``"``, None where there is none. ``typed`` is whether that was a number
    or the like, so that another may stand there without quotes, too.
    """
    double = json.dumps(value, ensure_ascii=False)
    single = "'" + value.replace("'", "''") + "'" if value.isprintable() else double
    is_text = _PLAIN.fullmatch(value) is not None and _NO_TEXT.fullmatch(value) is None
    is_number = typed and re.fullmatch(r"-?[0-9]+(?:\.[0-9]+)?|true|false", value) is not None
    plain = (value,) if is_text or is_number else ()
    if like == "'":
        return single, double
    if like == '"':
        return double, single
    return (*plain, double, single)


def _plain(_text: str, _place: int) -> tuple[str, int]:
    return "", 0


def _single(text: str, place: int) -> tuple[str, int]:
    return ("'", 2) if text.startswith("''", place) else ("", 0)


def _double(text: str, place: int) -> tuple[str, int]:
    if text[place] != "\\":
        return "", 0
    letter = text[place + 1 : place + 2]
    if letter in _NUMBERS:
        size = _NUMBERS[letter]
        try:
            return chr(int(text[place + 2 : place + 2 + size], 16)), 2 + size
        except (ValueError, OverflowError):
            return "\ufffd", 2
    return _ESCAPES.get(letter, "\ufffd"), 2


def _line_end(text: str, place: int, end: int) -> int:
    """Return the length of a line end that begins here, 0 when none does."""
    if text.startswith("\r\n", place) and place + 2 <= end:
        return 2
    return 1 if place < end and text[place] in "\r\n\x85\u2028\u2029" else 0


def _folded(text: str, start: int, end: int, escaped: object) -> Iterator[_Char]:
    """Yield the characters of a flow scalar: a line end with the blanks around it becomes one, or as many as follow."""
    place = start
    while place < end:
        if escaped is _double and text[place] == "\\" and _line_end(text, place + 1, end):
            place = _skipped(text, place + 1 + _line_end(text, place + 1, end), end)
            continue
        letter, size = escaped(text, place) if callable(escaped) else ("", 0)
        if size:
            yield letter, place, place + size
            place += size
            continue
        blanks = place
        while blanks < end and text[blanks] in " \t":
            blanks += 1
        if not _line_end(text, blanks, end):
            yield text[place], place, place + 1
            place += 1
            continue
        first = True
        begin, place, count = place, blanks, 0
        while size := _line_end(text, place, end):
            count += 1
            place = _skipped(text, place + size, end)
        for _ in range(max(1, count - 1)):
            yield ("\n" if count > 1 else " "), begin, place if first else begin
            first = False


def _skipped(text: str, place: int, end: int) -> int:
    while place < end and text[place] in " \t":
        place += 1
    return place


def _block(text: str, start: int, end: int, *, folded: bool) -> Iterator[_Char]:
    header_end = start
    while header_end < end and not _line_end(text, header_end, end):
        header_end += 1
    header = text[start:header_end].split("#", 1)[0]
    lines = _lines(text, header_end + _line_end(text, header_end, end), end)
    indent = _indent(text, start, header, lines)
    if indent is None:
        return
    rows = [(min(begin + indent, last), last, after) for begin, last, after in lines]
    filled = [number for number, (begin, last, _) in enumerate(rows) if begin < last]
    content = rows[: filled[-1] + 1] if filled else []
    yield from _fold(text, content) if folded else _literal(text, content)
    trailing = rows[len(content) :]
    if not content:
        trailing = rows
    elif "-" not in header and content[-1][2] > content[-1][1]:
        yield "\n", content[-1][1], content[-1][2]
    if "+" in header:
        for _, last, after in trailing:
            if after > last:
                yield "\n", last, after


def _lines(text: str, start: int, end: int) -> list[tuple[int, int, int]]:
    """Return begin, end and begin of the next of each line."""
    found, place = [], start
    while place < end:
        last = place
        while last < end and not _line_end(text, last, end):
            last += 1
        after = last + _line_end(text, last, end)
        found.append((place, last, after))
        place = after
    return found


def _indent(text: str, start: int, header: str, lines: list[tuple[int, int, int]]) -> int | None:
    if any(letter.isdigit() for letter in header):
        return None  # rare, and relative to the parent's indentation
    del start
    for begin, last, _ in lines:
        row = text[begin:last]
        if row.strip(" "):
            return len(row) - len(row.lstrip(" "))
    return 0


def _literal(text: str, rows: list[tuple[int, int, int]]) -> Iterator[_Char]:
    for number, (begin, last, after) in enumerate(rows):
        for place in range(begin, last):
            yield text[place], place, place + 1
        if number + 1 < len(rows):
            yield "\n", last, max(rows[number + 1][0], after)


def _fold(text: str, rows: list[tuple[int, int, int]]) -> Iterator[_Char]:
    number = 0
    while number < len(rows):
        begin, last, _ = rows[number]
        for place in range(begin, last):
            yield text[place], place, place + 1
        following = number + 1
        while following < len(rows) and rows[following][0] >= rows[following][1]:
            following += 1
        if following >= len(rows):
            return
        empty = following - number - 1
        spaced = (begin < last and text[begin] in " \t") or text[rows[following][0]] in " \t"
        breaks = "\n" * (empty + 1) if begin >= last or spaced else "\n" * empty or " "
        for count, letter in enumerate(breaks):
            yield letter, last, rows[following][0] if not count else last
        number = following

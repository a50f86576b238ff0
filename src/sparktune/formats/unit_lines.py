"""Lines of a systemd unit: sections, keys with the lines that continue them, comments in between.

Sources: systemd.syntax(7); systemd's conf-parser.c for a comment inside a continued line, a byte order mark, and the
backslash that is itself escaped.
"""

__all__ = ["SECTION", "Unit", "UnitSetting", "effective", "parsed_unit"]

import re
from dataclasses import dataclass, field

from sparktune.formats.located import Lines, Located, line_of, one_line
from sparktune.model.document import Problem

SECTION = re.compile(r"^\ufeff?[ \t]*\[(?P<name>[A-Za-z][A-Za-z0-9-]*)\][ \t]*\r?$", re.MULTILINE)
_HEADER = re.compile(r"\ufeff?[ \t]*\[(?P<name>[^\]]+)\][ \t]*")
_KEY = re.compile(r"\ufeff?[ \t]*(?P<key>[A-Za-z][A-Za-z0-9-]*)[ \t]*=[ \t]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitSetting:
    """One assignment, from ``start`` to behind the line end of its last line."""

    section: str
    key: str
    value: Located
    start: int
    end: int


@dataclass(slots=True)
class Unit:
    """A unit's assignments, its sections, and what is wrong with lines of it."""

    text: str
    lines: Lines
    settings: list[UnitSetting] = field(default_factory=list)
    headers: dict[str, int] = field(default_factory=dict)
    """Where each section's first header line ends, the line end not counted."""
    problems: list[Problem] = field(default_factory=list)


def parsed_unit(text: str) -> Unit:
    """Return what a unit assigns; what systemd ignores is among its problems."""
    unit = Unit(text, Lines(text))
    section, place = "", 0
    while place < len(text):
        start, (place, end) = place, line_of(text, place)
        row = text[start:end].removeprefix("\ufeff").lstrip(" \t")
        if not row.strip() or row[0] in "#;":
            continue
        header = _HEADER.fullmatch(text, start, end)
        key = _KEY.match(text, start, end)
        if header:
            section = header["name"]
            unit.headers.setdefault(section, end)
        elif key and section:
            value, place = _value(text, key.end(), start)
            unit.settings.append(UnitSetting(section=section, key=key["key"], value=value, start=start, end=place))
        else:
            why = "a key before the first section" if key else "no KEY=value and no section"
            _, place = _value(text, start, start)
            unit.problems.append(Problem(line=unit.lines.at(start), message=why, hint="systemd ignores that line"))
    return unit


def _value(text: str, start: int, line: int) -> tuple[Located, int]:
    """Return a value with the lines that continue it, and where the next line begins."""
    chars: list[tuple[str, int, int]] = []
    after, end = line_of(text, line)
    begin = min(start, end)
    while True:
        if not _is_continued(text[begin:end]) or after >= len(text):
            chars += [(text[place], place, place + 1) for place in range(begin, end)]
            break
        chars += [(text[place], place, place + 1) for place in range(begin, end - 1)]
        following, after, next_end = _following(text, after)
        chars.append((" ", end - 1, following))
        begin, end = following, next_end
    while chars and chars[-1][0] in " \t":
        chars.pop()
    return Located(
        text="".join(one[0] for one in chars),
        starts=tuple(one[1] for one in chars),
        ends=tuple(one[2] for one in chars),
        before=start,
        after=chars[-1][2] if chars else min(start, end),
        encode=one_line,
    ), after


def _following(text: str, start: int) -> tuple[int, int, int]:
    """Return the next line that is no comment: its begin, that of the one behind it, its end."""
    while True:
        after, end = line_of(text, start)
        if not text[start:end].lstrip(" \t").startswith(("#", ";")) or after >= len(text):
            return start, after, end
        start = after


def _is_continued(row: str) -> bool:
    return (len(row) - len(row.rstrip("\\"))) % 2 == 1


def effective(unit: Unit, section: str, key: str) -> list[UnitSetting]:
    """Return the assignments that count: an empty one takes those before it away."""
    found: list[UnitSetting] = []
    for one in unit.settings:
        if (one.section, one.key) == (section, key):
            found = [*found, one] if one.value.text else []
    return found

"""Files of ``NAME=value`` lines for systemd's EnvironmentFile=: read one variable, set it and keep all other lines.

Source: systemd.exec(5), EnvironmentFile=: lines that begin with ``#`` or ``;`` are comments, a backslash at the end of
a line continues it, quotes around a value are removed, and of several assignments the last one counts.
"""

__all__ = ["set_variable", "variable"]

import re

_LINE = re.compile(r"\s*(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*=(?P<value>.*)")
_MENTION = re.compile(r"\s*[#;]\s*(?P<name>[A-Za-z_][A-Za-z0-9_]*)=")


def variable(text: str, name: str) -> str | None:
    """Return the value of a variable, None when it is not set. Raises ValueError when a line is continued."""
    found = [match["value"] for match in _assignments(text, name).values()]
    return _unquoted(found[-1].strip()) if found else None


def set_variable(text: str, name: str, value: str) -> str:
    """Return ``text`` with a variable set: where it was, below the comment that names it, or at the end.

    ``value`` is written as it is, and so must need no quotes. All other bytes stay. Raises ValueError when a line of
    the variable is continued.
    """
    lines = text.splitlines(keepends=True)
    taken = _assignments(text, name)
    if taken:
        place = max(taken)
        lines[place] = f"{name}={value}{_end(lines[place])}"
        return "".join(lines)
    mentions = [place for place, line in enumerate(lines) if (match := _MENTION.match(line)) and match["name"] == name]
    place = mentions[-1] + 1 if mentions else len(lines)
    if place and not _end(lines[place - 1]):
        lines[place - 1] += "\n"
    lines.insert(place, f"{name}={value}\n")
    return "".join(lines)


def _assignments(text: str, name: str) -> dict[int, re.Match[str]]:
    """Return the lines that set a variable, by their number from 0."""
    lines = text.splitlines()
    found = {
        place: match for place, line in enumerate(lines) if (match := _LINE.fullmatch(line)) and match["name"] == name
    }
    if any(line.endswith("\\") and not line.lstrip().startswith(("#", ";")) for line in lines):
        message = "a line of it continues on the next one"
        raise ValueError(message)
    return found


def _end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value

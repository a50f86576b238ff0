"""What several sources of facts need: numbers, flags and lists out of text that may be anything.

Text of a node is untrusted. These helpers raise ValueError, which ``Observed.map`` turns into UNREADABLE.
"""

__all__ = [
    "assignments",
    "bounded_int",
    "by_cpu",
    "by_number",
    "decimal",
    "drop_ins",
    "first_known",
    "first_line",
    "flag",
    "missing",
    "output",
    "shorten",
    "unit_blocks",
    "word",
]

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from sparktune.model.observed import Observed, State, absent, present, unreadable
from sparktune.model.reads import CommandOutput, Readings

_T = TypeVar("_T")
_U = TypeVar("_U")

_LONGEST_SHOWN = 80
_MOST_DIGITS = 20  # a 64-bit counter; longer is broken text, and int() of a megabyte of digits is slow
_CPU = re.compile(r"/cpu(\d{1,6})(?:/|$)", re.ASCII)


def shorten(text: str, most: int = _LONGEST_SHOWN) -> str:
    """Return ``text`` on one line and at most ``most`` characters long, for messages and evidence."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."


def bounded_int(text: str, base: int = 10) -> int:
    """Return an integer of at most 20 digits, ``0x`` allowed with base 16. Raises ValueError."""
    stripped = text.strip()
    if not stripped.isascii() or "_" in stripped or len(stripped) > _MOST_DIGITS:
        message = f"no number: {shorten(text)!r}"
        raise ValueError(message)
    try:
        return int(stripped, base)
    except ValueError:
        message = f"no number: {shorten(text)!r}"
        raise ValueError(message) from None


def decimal(text: str) -> float:
    """Return a plain decimal number: no exponent, infinity or NaN. Raises ValueError."""
    stripped = text.strip()
    if re.fullmatch(r"[+-]?\d{1,20}(?:\.\d{0,20})?", stripped, re.ASCII) is None:
        message = f"no number: {shorten(text)!r}"
        raise ValueError(message)
    return float(stripped)


def flag(text: str) -> bool:
    """Return what ``0`` or ``1`` says. Raises ValueError."""
    stripped = text.strip()
    if stripped not in {"0", "1"}:
        message = f"neither 0 nor 1: {shorten(text)!r}"
        raise ValueError(message)
    return stripped == "1"


def word(text: str) -> str:
    """Return the one line that a file holds, without white space around it. Raises ValueError when it is empty."""
    stripped = text.strip().strip("\0")
    if not stripped:
        message = "empty"
        raise ValueError(message)
    return shorten(stripped, 300)


def by_cpu(files: Mapping[str, Observed[str]]) -> dict[int, Observed[str]]:
    """Return the files of ``.../cpuN/...`` by N, in its order."""
    return dict(sorted(by_number(files, _CPU).items()))


def by_number(files: Mapping[str, Observed[str]], pattern: re.Pattern[str]) -> dict[int, Observed[str]]:
    """Return files by the number in their path that the first group of ``pattern`` finds."""
    found: dict[int, Observed[str]] = {}
    for path, text in files.items():
        match = pattern.search(path)
        if match is not None:
            found[int(match[1])] = text
    return found


def assignments(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line number, key and value of each ``KEY=value`` line, quotes around a value removed, comments skipped."""
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        key, sign, value = stripped.partition("=")
        if not sign or stripped.startswith(("#", ";")):
            continue
        value = value.strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        yield number, key.strip(), value


def output(command: Observed[CommandOutput]) -> Observed[str]:
    """Return what a command printed; UNREADABLE, with its words, when it ended with an error."""
    if command.value is None:
        return Observed(command.state, None, command.why)
    if command.value.code != 0:
        said = shorten(command.value.stderr or command.value.stdout)
        return unreadable(f"exit code {command.value.code}" + (f": {said}" if said else ""))
    return present(command.value.stdout)


def missing(of: Observed[_T], what: str) -> Observed[_U]:
    """Return why a field is not known: the fate of the text that it is in, or UNREADABLE because it lacks there."""
    return Observed(of.state, None, of.why) if of.value is None else unreadable(f"no {what} in it")


def first_known(values: Iterable[Observed[str]]) -> Observed[str]:
    """Return the first that is PRESENT, else the first that is UNREADABLE, else ABSENT."""
    kept: Observed[str] = absent()
    for value in values:
        if value.state is State.PRESENT:
            return value
        if kept.state is State.ABSENT:
            kept = value
    return kept


def first_line(text: str, start: str) -> str | None:
    """Return the rest of the first line that starts with ``start``, or None."""
    return next((line.removeprefix(start).strip() for line in text.splitlines() if line.startswith(start)), None)


def drop_ins(readings: Readings, patterns: Iterable[str]) -> list[tuple[str, Observed[str]]]:
    """Return path and text of the configuration files that count, in the order in which they are applied.

    ``patterns`` come by priority: of files with one name only that of the first folder counts, and names decide the
    order (systemd's rule, e.g. sysctl.d(5)). A folder that could not be read stands in the list as UNREADABLE.
    """
    by_name: dict[str, tuple[str, Observed[str]]] = {}
    closed: list[tuple[str, Observed[str]]] = []
    for pattern in patterns:
        if pattern in readings.unread:
            closed.append((pattern, unreadable(readings.unread[pattern])))
        for path, text in readings.matching(pattern).items():
            by_name.setdefault(path.rpartition("/")[2], (path, text))
    return closed + [by_name[name] for name in sorted(by_name)]


def unit_blocks(text: str) -> dict[str, dict[str, str]]:
    """Return the properties that ``systemctl show -p Id,...`` prints, by unit; blank lines part the units."""
    units: dict[str, dict[str, str]] = {}
    for block in re.split(r"\n\s*\n", text):
        properties = {key: value for key, sign, value in (line.partition("=") for line in block.splitlines()) if sign}
        if "Id" in properties:
            units[properties["Id"]] = properties
    return units

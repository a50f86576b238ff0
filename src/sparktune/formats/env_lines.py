"""Files of ``NAME=value`` lines, as each of their readers takes them: values with their places, and edits in place.

Sources: docs.docker.com, Syntax for environment files in Docker Compose, and the dotenv package of compose-go
(``compose``: ``export``, quotes, escapes in double quotes, a comment behind a blank and ``#``, a name without ``=``
takes the value of the caller); docker/cli, opts/file.go (``docker``, for ``docker run --env-file``: all behind ``=`` is
the value, quotes and ``#`` too; a byte order mark is skipped); systemd.exec(5), EnvironmentFile= (``systemd``: ``#``
and ``;`` begin comments at the start of a line only, a backslash at its end continues it, lines without ``=`` are
skipped).
"""

__all__ = ["EnvDialect", "read_env"]

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from sparktune.formats.broken import refuse_no_text
from sparktune.formats.located import Lines, line_of
from sparktune.formats.slots import Reading, Slot
from sparktune.formats.yaml_scalar import Edit
from sparktune.model.document import Document, Entry, EntryKind, NotThisFormat, Problem, Span

_LINE = re.compile(r"[ \t]*(?P<export>export[ \t]+)?(?P<name>[^\s=#;:'\"]+)[ \t]*(?P<sign>[=:])?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-\[\]]*", re.ASCII)
_ESCAPES = {"a": "\a", "b": "\b", "c": "c", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", '"': '"', "\\": "\\"}
_SHELL_ESCAPED = '"\\`$'


class EnvDialect(Enum):
    """Who reads the file; the value is the id of the format."""

    COMPOSE = "env"
    DOCKER = "docker-env"
    SYSTEMD = "environment"


@dataclass(frozen=True, slots=True)
class _Assigned:
    name: str
    value: str | None
    start: int
    """Where the value begins, with its quotes; behind the name where there is none."""
    end: int
    line_start: int
    line_end: int
    """Behind the line end."""


@dataclass(slots=True)
class _Scan:
    text: str
    dialect: EnvDialect
    lines: Lines
    problems: list[Problem]
    odd: list[str]
    """Lines that its reader does not take, as they are."""

    def all(self) -> Iterator[_Assigned]:
        place = 1 if self.text.startswith("\ufeff") else 0
        if place and self.dialect is EnvDialect.SYSTEMD:
            self._note(0, "it begins with a byte order mark, which systemd refuses", "save it as UTF-8 without one")
        while place < len(self.text):
            found = self._line(place)
            if isinstance(found, _Assigned):
                yield found
                place = found.line_end
            else:
                place = found

    def _line(self, start: int) -> "_Assigned | int":
        after, end = line_of(self.text, start)
        row = self.text[start:end]
        comments = "#;" if self.dialect is EnvDialect.SYSTEMD else "#"
        if not row.strip() or row.lstrip()[0] in comments:
            return after
        found = _LINE.match(self.text, start, end)
        why = self._objection(found, end)
        if found is None or why:
            return self._odd(start, after, why)
        if not found["sign"]:
            return _Assigned(found["name"], None, found.end("name"), found.end("name"), start, after)
        value, first, last, after = self._value(found.end(), end, after)
        return _Assigned(found["name"], value, first, last, start, after)

    def _objection(self, found: re.Match[str] | None, end: int) -> str:
        """Return why a line is none that its reader takes, "" for one that is."""
        compose = self.dialect is EnvDialect.COMPOSE
        if found is None or (not found["sign"] and self.text[found.end() : end].strip()):
            return "no NAME=value"
        if (found["sign"] == ":" and not compose) or (not found["sign"] and self.dialect is EnvDialect.SYSTEMD):
            return "no NAME=value"
        if found["export"] and not compose:
            return "export is not understood here"
        return "" if _NAME.fullmatch(found["name"]) else "the name is none"

    def _odd(self, start: int, after: int, why: str) -> int:
        hint = "write NAME=value, or put # before it"
        if self.dialect is EnvDialect.DOCKER:
            hint = "docker run --env-file takes NAME=value only"
        self.problems.append(Problem(line=self.lines.at(start), message=why, hint=hint))
        self.odd.append(self.text[start:after].strip())
        return after

    def _value(self, start: int, end: int, after: int) -> tuple[str, int, int, int]:
        if self.dialect is EnvDialect.DOCKER:
            return self.text[start:end], start, end, after
        while start < end and self.text[start] in " \t":
            start += 1
        if start < end and self.text[start] in "'\"":
            return self._quoted(start, after)
        if self.dialect is EnvDialect.SYSTEMD:
            return self._systemd_plain(start, after)
        value = self.text[start:end].split(" #", 1)[0].rstrip()
        if value.startswith("#"):
            self._note(start, "the value begins with #: it is no comment here", "put the comment on a line of its own")
        return value, start, start + len(value), after

    def _quoted(self, start: int, after: int) -> tuple[str, int, int, int]:
        quote, place, value = self.text[start], start + 1, []
        while place < len(self.text) and self.text[place] != quote:
            letters, size = self._quoted_piece(quote, place)
            value.append(letters)
            place += size
        if place >= len(self.text):
            message = f"a quote {quote} in line {self.lines.at(start)} is never closed"
            raise NotThisFormat(message, line=self.lines.at(start), hint="close it, or take it out")
        if place >= after:
            after, _ = line_of(self.text, place)
        rest = self.text[place + 1 : line_of(self.text, place)[1]].strip()
        if rest and not (rest.startswith("#") and self.dialect is EnvDialect.COMPOSE):
            self._note(start, "there is text behind the closing quote", "take it out, or put quotes around all of it")
        return "".join(value), start, place + 1, after

    def _quoted_piece(self, quote: str, place: int) -> tuple[str, int]:
        letter, following = self.text[place], self.text[place + 1 : place + 2]
        if letter != "\\" or not following:
            return letter, 1
        if self.dialect is EnvDialect.SYSTEMD:
            return _systemd_piece(quote, following)
        if following == quote:
            return quote, 2
        return (letter + following if quote == "'" else _ESCAPES.get(following, letter + following)), 2

    def _systemd_plain(self, start: int, after: int) -> tuple[str, int, int, int]:
        value, place, last = "", start, start
        while place < len(self.text) and self.text[place] != "\n":
            if self.text[place] == "\\" and place + 1 < len(self.text):
                value += "" if self.text[place + 1] == "\n" else self.text[place + 1]
                place += 2
                last = place
                continue
            value += self.text[place]
            place += 1
            last = place if self.text[place - 1] not in " \t\r" else last
        kept = value.rstrip(" \t\r") if last < place else value
        return kept, start, last, min(place + 1, len(self.text)) if place >= after else after

    def _note(self, place: int, message: str, hint: str) -> None:
        self.problems.append(Problem(line=self.lines.at(place), message=message, hint=hint))


def _systemd_piece(quote: str, following: str) -> tuple[str, int]:
    """Return what a backslash inside quotes stands for, and how long that is."""
    if quote == '"' and following == "\n":
        return "", 2
    return (following, 2) if quote == '"' and following in _SHELL_ESCAPED else ("\\", 1)


def read_env(name: str, text: str, dialect: EnvDialect) -> Reading:
    """Read a file of variables. Raises NotThisFormat for what is none, with line and hint."""
    refuse_no_text(text)
    lines = Lines(text)
    scan = _Scan(text, dialect, lines, [], [])
    found = list(scan.all())
    if len(scan.odd) > len(found):
        line = scan.problems[0].line
        message = f"no file of NAME=value lines: line {line}: {scan.problems[0].message}"
        raise NotThisFormat(message, line=line, hint="name the file of variables, or the kind of this one")
    slots = tuple(_slot(text, lines, one, dialect) for one in found)
    document = Document(
        format=dialect.value,
        name=name,
        text=text,
        entries=tuple(one.entry for one in slots),
        problems=tuple(sorted((*scan.problems, *_repeated(found, lines)), key=lambda one: one.line)),
    )
    return Reading(
        document=document,
        slots=slots,
        add=lambda _, kind, key, value: _added(text, kind, key, value, dialect),
        others=tuple(scan.odd),
    )


def _repeated(found: list[_Assigned], lines: Lines) -> Iterator[Problem]:
    last = {one.name: one for one in found}
    for one in found:
        if last[one.name] is not one:
            counts = lines.at(last[one.name].start)
            yield Problem(
                line=lines.at(one.start),
                message=f"{one.name} is set again in line {counts}, and that one counts",
                hint="take one of the two out",
            )


def _slot(text: str, lines: Lines, one: _Assigned, dialect: EnvDialect) -> Slot:
    entry = Entry(
        part="",
        kind="env",
        name=one.name,
        text=one.value,
        line=lines.at(one.start),
        span=Span(start=one.start, end=one.end),
    )
    quote = text[one.start : one.start + 1] if one.value is not None else ""
    sign = "=" if one.value is None else ""
    return Slot(
        entry=entry,
        replace=lambda value: (
            Edit(start=one.start, end=one.end, text=sign + form) for form in _forms(value, dialect, quote)
        ),
        remove=lambda: (Edit(start=_removed_start(text, one), end=one.line_end, text=""),),
    )


def _removed_start(text: str, one: _Assigned) -> int:
    """Return where a line to take out begins: the line end before it goes with a last line that has none."""
    if one.line_end < len(text) or text.endswith("\n") or not one.line_start:
        return one.line_start
    return one.line_start - (2 if text.startswith("\r\n", one.line_start - 2) else 1)


def _forms(value: str, dialect: EnvDialect, quote: str) -> tuple[str, ...]:
    """Return ways to write a value, in the quotes of the old one first."""
    if dialect is EnvDialect.DOCKER:
        return (value,)
    double = '"' + re.sub(r'(["\\`])' if dialect is EnvDialect.SYSTEMD else r'(["\\])', r"\\\1", value) + '"'
    single = "'" + (value if dialect is EnvDialect.SYSTEMD else value.replace("'", "\\'")) + "'"
    if dialect is EnvDialect.COMPOSE:
        double = double.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    quoted = (double,) if "$" in value and dialect is EnvDialect.COMPOSE else (single, double)
    if "\n" in value and dialect is EnvDialect.COMPOSE:
        return double, single
    plain = () if "\n" in value or "\r" in value else (value,)
    if quote == '"':
        return (double, *quoted, *plain)
    return (*quoted, *plain) if quote == "'" else (*plain, *quoted)


def _added(text: str, kind: EntryKind, name: str, value: str, dialect: EnvDialect) -> Iterator[Edit]:
    if kind != "env" or _NAME.fullmatch(name) is None:
        return
    ending = "\r\n" if "\r\n" in text else "\n"
    mention = re.compile(rf"^[ \t]*#[ \t]*(?:export[ \t]+)?{re.escape(name)}=.*$", re.MULTILINE)
    places = [found.end() for found in mention.finditer(text)]
    for form in _forms(value, dialect, ""):
        if places:
            after, _ = line_of(text, places[-1])
            if text[after - 1 : after] == "\n":
                yield Edit(start=after, end=after, text=f"{name}={form}{ending}")
        lead = ending if text.removeprefix("\ufeff") and not text.endswith("\n") else ""
        yield Edit(start=len(text), end=len(text), text=f"{lead}{name}={form}{ending}")

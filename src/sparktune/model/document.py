"""A text that a person wrote for a service, with the place of every value in it."""

__all__ = ["Command", "Document", "Entry", "Format", "NotThisFormat", "Problem", "Span", "Word"]

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

EntryKind = Literal["env", "flag", "key", "default"]


class NotThisFormat(ValueError):
    """A text is broken, or no such text; ``line`` counts from 1, 0 where it is the whole; ``hint`` is the next step.

    The message never quotes the text: it may hold secrets.
    """

    def __init__(self, message: str, *, line: int = 0, hint: str = "") -> None:
        """Keep place and hint beside the message."""
        super().__init__(message)
        self.line, self.hint = line, hint


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Characters ``start`` to ``end`` (not included) of the text as it is, line ends and byte order mark counted."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One value where it is written.

    ``part`` is the service of a compose file or the section of a unit, "" where the text is one. ``kind``: "env" for a
    variable, "flag" for an option of the serving command (``name`` as written, with its dashes), "key" for a key of
    the part (``cpuset``, ``image``, ``ExecStart``), "default" for a value that a recipe's command may use. ``text`` is
    what it says, without quotes and with nothing filled in; None where it is named without a value. ``span`` is what an
    edit replaces; None where no edit can reach it, and ``fixed`` says why (an alias, a merge, several lines).
    """

    part: str
    kind: EntryKind
    name: str
    text: str | None
    line: int
    span: Span | None = None
    fixed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word of a command: quotes removed, nothing filled in; ``span`` covers it with its quotes, as in Entry."""

    text: str
    line: int
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """The words that start a part's server, its wrappers taken off (``bash -c``, ``exec``, ``env``, ``taskset`` ...).

    ``shell`` is whether a shell reads it, so that ``${X}``, ``$(...)`` and ``#`` mean something; ``lost`` names words
    that never reach the server (behind a ``#`` in a folded text).
    """

    part: str
    words: tuple[Word, ...]
    shell: bool = False
    lost: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something in a text that could be read, and is wrong as such: a key given twice, a line that says nothing."""

    line: int
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """``format`` is the id of its Format, ``name`` what people call the file, ``text`` all of it, byte for byte."""

    format: str
    name: str
    text: str
    entries: tuple[Entry, ...] = ()
    commands: tuple[Command, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One kind of text; the constant ``FORMAT`` of one file in ``formats/kinds``. All of it is pure.

    ``recognises(name, text)`` looks at the name and at the first lines, so that a broken file is still recognised;
    ``order`` lets strict ones go first. ``read(name, text)`` returns the Document, or raises NotThisFormat with line
    and hint. ``write(document, part, kind, name, value)`` returns the text in which that entry says ``value`` (None: is
    gone), where it was or where it reads best, and every other byte as it was; ValueError says why that cannot be done
    without changing what else the text says. What it returns has been read again and compared.
    """

    id: str
    title: str
    recognises: Callable[[str, str], bool]
    read: Callable[[str, str], Document]
    write: Callable[[Document, str, EntryKind, str, str | None], str]
    order: int = 50

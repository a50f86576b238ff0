"""Ways to write a word so that the program that reads it gets the same word.

Sources: POSIX, Shell Command Language, 2.2; github.com/mattn/go-shellwords; systemd.syntax(7), Quoting.
"""

__all__ = ["Dialect", "is_plain", "quoted", "within"]

import re
from collections.abc import Callable
from enum import Enum

_SAFE = re.compile(r"[A-Za-z0-9_@%+=:,./-]+", re.ASCII)


class Dialect(Enum):
    """Who splits the text into words."""

    SHELL = "shell"
    COMPOSE = "compose"
    SYSTEMD = "systemd"


def is_plain(value: str) -> bool:
    """Whether a word means the same without quotes to everybody."""
    return _SAFE.fullmatch(value) is not None


def quoted(value: str, dialect: Dialect) -> tuple[str, ...]:
    """Return ways to write a word, the plainest first; not each of them can stand everywhere.

    A dollar sign keeps its meaning: it is never put into single quotes, and not escaped.
    """
    escape = r'(["\\`])' if dialect is Dialect.SHELL else r'(["\\])'
    double = '"' + re.sub(escape, r"\\\1", value) + '"'
    single = _single(value, dialect)
    plain = [value] if is_plain(value) or (value and re.fullmatch(r"[\w@%+=:,./${}-]+", value)) else []
    if "\n" in value or "\r" in value:
        return (single,) if "$" not in value else ()
    if "$" in value and dialect is not Dialect.COMPOSE:
        return (*plain, double)
    if dialect is Dialect.SYSTEMD or not value:
        return (*plain, single, double)
    return (*plain, single, double, re.sub(r"([^A-Za-z0-9_@%+=:,./$-])", r"\\\1", value))


def _single(value: str, dialect: Dialect) -> str:
    if dialect is Dialect.SYSTEMD:
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return "'" + value.replace("'", "'\\''") + "'"


def within(style: str, dialect: Dialect) -> Callable[[str], str] | None:
    """Return how a text is written that is to stand inside a word of this style."""
    if style == "'":
        return lambda text: _single(text, dialect)[1:-1]
    if style == '"':
        escape = r'(["\\`])' if dialect is Dialect.SHELL else r'(["\\])'
        return lambda text: re.sub(escape, r"\\\1", text)
    return None

"""The words of a command as the program gets them: variables filled in by compose, by a shell, by systemd.

Source: the compose specification, interpolation (a variable without value and default is empty, ``$$`` is a dollar
sign; it happens before the command is split into words); POSIX, 2.6 (a variable outside of quotes is split at blanks);
systemd.service(5), command lines (``$X`` is split, ``${X}`` is one word).

A shell inside a container also knows what its image sets, which no file tells: what is not known stays as written.
"""

__all__ = ["filled_by_compose", "filled_by_shell", "filled_by_systemd"]

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from sparktune.deploy.settings.arithmetic import with_arithmetic
from sparktune.formats.interpolation import filled, references
from sparktune.formats.located import whole
from sparktune.formats.shell import Dialect, lex
from sparktune.model.document import Command, Word

_UNIT_VARIABLE = re.compile(r"\$\$|\$\{(?P<braced>[A-Za-z_]\w*)\}|\$(?P<bare>[A-Za-z_]\w*)", re.ASCII)
_BEFORE_ITEM = frozenset("-[,")
_QUOTES = frozenset("'\"")
_PAIR = 2


def filled_by_compose(command: Command, text: str, variables: Mapping[str, str]) -> Command:
    """Return a command of a compose file's ``text`` with its variables filled in.

    That is done before anybody splits it into words, so that quotes in a value count as if they were written there.
    """
    dialect = Dialect.SHELL if command.shell else Dialect.COMPOSE

    def words(word: Word) -> Iterator[Word]:
        value = filled(word.text, variables)
        split = None if _whole(word, value, text) else _lexed(word, value, text, dialect)
        if split is None:
            yield from _words(word, value, text)
        else:
            yield from (replace(word, text=one) for one in split)

    return _each(command, words)


def filled_by_shell(command: Command, text: str, variables: Mapping[str, str]) -> Command:
    """Return a command as the shell makes it; words in single quotes stay."""

    def words(word: Word) -> Iterator[Word]:
        if _slice(word, text).startswith("'"):
            yield word
            return
        value = _known_filled(_unquoted_defaults(word.text), variables)
        if value != _known_filled(word.text, variables):  # a default in quotes, which keep its blanks
            yield replace(word, text=value)
        else:
            yield from _words(word, value, text)

    return _each(command, words)


def filled_by_systemd(command: Command, variables: Mapping[str, str]) -> Command:
    """Return a command of a unit as systemd makes it; an unknown variable is empty."""

    def words(word: Word) -> Iterator[Word]:
        alone = _UNIT_VARIABLE.fullmatch(word.text)
        if alone is not None and alone["bare"]:
            yield from (replace(word, text=one) for one in variables.get(alone["bare"], "").split())
            return
        yield replace(word, text=_UNIT_VARIABLE.sub(value, word.text))

    def value(found: re.Match[str]) -> str:
        name = found["braced"]
        return "$" if found[0] == "$$" else variables.get(name, "") if name else found[0]

    return _each(command, words)


def _known_filled(text: str, variables: Mapping[str, str]) -> str:
    """Return a text with those variables filled in whose value is known, or given by a default; sums are counted."""
    text = with_arithmetic(text, variables)
    if "$(" in text or "`" in text:
        return text
    done, at = [], 0
    for one in references(text):
        if one.name in variables or one.how:
            done += [text[at : one.start], filled(text[one.start : one.end], variables)]
            at = one.end
    return "".join((*done, text[at:]))


def _unquoted_defaults(text: str) -> str:
    """Return a text in which ``${X:-"y z"}`` is ``${X:-y z}``."""
    for one in reversed(references(text)):
        quote = one.other[:1]
        if quote in _QUOTES and len(one.other) > 1 and one.other.endswith(quote) and one.other.count(quote) == _PAIR:
            start = text.index(one.other, one.start)
            text = text[:start] + one.other[1:-1] + text[start + len(one.other) :]
    return text


def _each(command: Command, words: Callable[[Word], Iterator[Word]]) -> Command:
    return replace(command, words=tuple(new for word in command.words for new in words(word)))


def _words(word: Word, value: str, text: str) -> Iterator[Word]:
    """Yield a word with another text, in parts where it is split at blanks, and not at all where nothing is left."""
    kept = _whole(word, value, text) or _slice(word, text)[:1] in _QUOTES
    for one in (value,) if kept else value.split():
        yield replace(word, text=one)


def _whole(word: Word, value: str, text: str) -> bool:
    """Whether a word stays one word, with nothing of it read again: an item of a list, or one that is not changed."""
    before = "" if word.span is None else text[: word.span.start].rstrip()[-1:]
    return word.span is None or before in _BEFORE_ITEM or value == word.text or "$(" in value


def _lexed(word: Word, value: str, text: str, dialect: Dialect) -> list[str] | None:
    """Return the words that a filled in text is split into, None where that cannot be told from the word alone."""
    quote = _slice(word, text)[:1]
    quote = quote if quote in _QUOTES else ""
    at, rest = 0, ""
    for one in references(word.text):
        rest, at = rest + word.text[at : one.start], one.end
    if quote != "'" and set(rest + word.text[at:]) & {*_QUOTES, "\\"}:
        return None  # what was escaped is not known any more
    try:
        tokens = lex(whole(quote + value + quote), dialect)
    except ValueError:
        return None
    return [token.word.text for token in itertools.takewhile(lambda one: one.word is not None, tokens) if token.word]


def _slice(word: Word, text: str) -> str:
    """Return a word as it is written; a backslash before its quote is that of a YAML text in quotes."""
    return "" if word.span is None else text[word.span.start : word.span.end].lstrip("\\")

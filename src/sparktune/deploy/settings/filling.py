"""The words of a command as the program gets them: variables filled in by compose, by a shell, by systemd.

Source: the compose specification, interpolation (a variable without value and default is empty, ``$$`` is a dollar
sign; it happens before the command is split into words); POSIX, 2.6 (a variable outside of quotes is split at blanks);
systemd.service(5), command lines (``$X`` is split, ``${X}`` is one word).

A shell inside a container also knows what its image sets, which no file tells: what is not known stays as written.
"""

__all__ = ["filled_by_compose", "filled_by_shell", "filled_by_systemd", "known_filled"]

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from sparktune.deploy.settings.arithmetic import with_arithmetic
from sparktune.formats.interpolation import filled, references
from sparktune.model.document import Command, Word

_UNIT_VARIABLE = re.compile(r"\$\$|\$\{(?P<braced>[A-Za-z_]\w*)\}|\$(?P<bare>[A-Za-z_]\w*)", re.ASCII)
_BEFORE_ITEM = frozenset("-[,")


def filled_by_compose(command: Command, text: str, variables: Mapping[str, str]) -> Command:
    """Return a command of a compose file's ``text`` with its variables filled in."""
    return _each(command, lambda word: _words(word, filled(word.text, variables), text))


def filled_by_shell(command: Command, text: str, variables: Mapping[str, str]) -> Command:
    """Return a command as the shell makes it; words in single quotes stay."""

    def words(word: Word) -> Iterator[Word]:
        if _slice(word, text).startswith("'"):
            yield word
        else:
            yield from _words(word, known_filled(word.text, variables), text)

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


def known_filled(text: str, variables: Mapping[str, str]) -> str:
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


def _each(command: Command, words: Callable[[Word], Iterator[Word]]) -> Command:
    return replace(command, words=tuple(new for word in command.words for new in words(word)))


def _words(word: Word, value: str, text: str) -> Iterator[Word]:
    """Yield a word with another text, in parts where it is split at blanks, and not at all where nothing is left."""
    kept = word.span is None or _slice(word, text)[:1] in {"'", '"'} or _is_item(word, text)
    whole = kept or value == word.text or "$(" in value
    for one in (value,) if whole else value.split():
        yield replace(word, text=one)


def _slice(word: Word, text: str) -> str:
    return "" if word.span is None else text[word.span.start : word.span.end]


def _is_item(word: Word, text: str) -> bool:
    """Whether a word is an item of a list, which nobody splits."""
    return word.span is not None and text[: word.span.start].rstrip()[-1:] in _BEFORE_ITEM

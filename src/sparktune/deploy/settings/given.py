"""The words of a command line -> what each of them says of which option, before anything is weighed against another."""

__all__ = ["Given", "given_in"]

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sparktune.deploy.settings.spelling import Named, looks_like_option, named
from sparktune.deploy.settings.values import member_of, value_of
from sparktune.model.document import Word
from sparktune.model.setting import Grammar, OptionKind, Origin, Value
from sparktune.redact import redact_argv


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One option as it was given. ``form``: "json" sets a whole map, "dotted" one place of it (``path``).

    ``head`` is the spelling, up to the first dot; ``written`` all its words, secrets removed.
    """

    name: str
    head: str
    value: Value
    written: str
    origin: Origin
    form: Literal["plain", "json", "dotted"] = "plain"
    path: tuple[str, ...] = ()


def given_in(words: Sequence[Word], grammar: Grammar, origin: Origin) -> Iterator[Given]:
    """Yield what the words say, with the lines of their values; those of the program itself must be gone."""
    at, stray = 0, 0
    while at < len(words):
        word = words[at]
        place = replace(origin, line=word.line)
        if not looks_like_option(word.text, grammar):
            at += 1
            if word.text == "--":
                continue
            first = grammar.positional and not stray
            stray += 1
            name = grammar.positional if first else f"argument_{stray}"
            yield Given(name=name, head="", value=word.text, written=_shown((word,)), origin=place)
            continue
        found = named(word.text, grammar)
        taken = _taken(found, words[at + 1 :], grammar)
        used = words[at : at + 1 + (0 if found.value is not None else len(taken))]
        yield _one(found, taken, grammar, _shown(used), replace(origin, line=used[min(1, len(used) - 1)].line))
        at += len(used)


def _taken(found: Named, following: Sequence[Word], grammar: Grammar) -> tuple[str, ...]:
    """Return the words that are an option's value."""
    if found.value is not None:
        return (found.value,)
    kind = found.option.kind if found.option else "optional"
    free = [one.text for one in _until_option(following, grammar)]
    if found.path:
        return tuple(one.text for one in following[:1])
    if kind in {"switch", "tristate"}:
        return ()
    if kind in {"list", "ints"}:
        return tuple(free)
    if kind == "optional" or grammar.equals:
        return tuple(free[:1])
    return tuple(one.text for one in following[:1])


def _until_option(words: Sequence[Word], grammar: Grammar) -> Iterator[Word]:
    for word in words:
        if word.text == "--" or looks_like_option(word.text, grammar):
            return
        yield word


def _one(found: Named, taken: tuple[str, ...], grammar: Grammar, written: str, origin: Origin) -> Given:
    given = Given(name=found.name, head=found.head, value=None, written=written, origin=origin)
    if found.path:
        text = taken[0] if taken else ""
        if found.appends:
            text = json.dumps(text.split(","))
        return replace(given, value=member_of(text, grammar.suffixes), form="dotted", path=found.path)
    option = found.option
    if option is None:
        return replace(given, value=taken[0] if taken else True)
    if option.kind in {"switch", "tristate"}:
        return replace(given, value=taken[0] if taken else not found.off)
    if option.kind in {"list", "ints"}:
        kind: OptionKind = "int" if option.kind == "ints" else "text"
        values = tuple(value_of(one, kind, grammar.suffixes, {}) for one in taken)
        return replace(given, value=values)
    if not taken:
        return replace(given, value=option.words.get(""))
    value = value_of(taken[0], option.kind, grammar.suffixes, option.words)
    return replace(given, value=value, form="json" if option.kind == "json" else "plain")


def _shown(words: Sequence[Word]) -> str:
    return " ".join(redact_argv(word.text for word in words))

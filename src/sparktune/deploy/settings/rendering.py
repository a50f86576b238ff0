"""Settings in normal form -> the options that start the same engine."""

__all__ = ["argv_of"]

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sparktune.deploy.settings.spelling import named
from sparktune.deploy.settings.values import word_of
from sparktune.model.setting import Grammar, Option, Value

_NOT_OPTIONS = ("env.", "key.")


def argv_of(values: Mapping[str, Value], grammar: Grammar) -> tuple[str, ...]:
    """Return the options, the positional one first; variables and keys of a service are left out."""
    options = {option.name: option for option in grammar.options}
    whole = _whole({key: value for key, value in values.items() if not key.startswith(_NOT_OPTIONS)}, grammar, options)
    first = [word for name, value in whole if name == grammar.positional for word in _positional(value)]
    rest = [
        word for name, value in whole if name != grammar.positional for word in _words(name, value, grammar, options)
    ]
    return (*first, *rest)


def _whole(values: Mapping[str, Value], grammar: Grammar, options: Mapping[str, Option]) -> Iterable[tuple[str, Any]]:
    """Put the single values of maps together again."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        name, *path = key.split(".")
        if not path or not (grammar.dotted or (name in options and options[name].kind == "json")):
            found[key] = value
            continue
        at = found.setdefault(name, {})
        for step in path[:-1]:
            at = at.setdefault(step, {})
        at[path[-1]] = value
    return found.items()


def _positional(value: Value) -> Iterator[str]:
    if value is not None:
        yield word_of(value)


def _words(name: str, value: Value, grammar: Grammar, options: Mapping[str, Option]) -> Iterator[str]:
    option = options.get(name)
    if name.startswith("argument_") and option is None:
        yield word_of(value)
        return
    flag = option.flag if option else (name if name.startswith("-") else "--" + name.replace("_", "-"))
    if value is False and (option is None or option.kind == "tristate"):
        yield f"--no-{flag.removeprefix('--')}"
    elif value is True and (option is None or option.kind in {"switch", "tristate", "optional"}):
        yield flag
    elif isinstance(value, tuple) and (option is None or option.kind in {"list", "ints"}):
        yield flag
        yield from map(word_of, value)
    elif value is None:
        yield flag
    else:
        yield from _valued(flag, word_of(value), grammar)


def _valued(flag: str, text: str, grammar: Grammar) -> Iterator[str]:
    """Write a value that looks like an option into the same word."""
    glued = grammar.equals and (text.startswith("-") or (named(flag, grammar).option or _TEXT).kind == "switch")
    if glued:
        yield f"{flag}={text}"
    else:
        yield flag
        yield text


_TEXT = Option(name="", kind="text")

"""Which option of an engine a word of its command line names."""

__all__ = ["Named", "looks_like_option", "named"]

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sparktune.model.setting import Grammar, Option

_NEGATIVE = re.compile(r"-\d+|-\d*\.\d+")
_SHORT = 2  # a dash and a letter


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """``option`` is None for one that nobody knows; ``off``: the spelling says no; ``path`` is that into its map.

    ``name`` is the normal name; ``head`` what was written up to the first dot, so that two spellings of one option can
    be told apart; ``appends``: the path ended with ``+``; ``value`` what was written in the same word, None without.
    """

    name: str
    option: Option | None
    head: str
    off: bool = False
    path: tuple[str, ...] = ()
    appends: bool = False
    value: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spelling:
    option: Option
    off: bool


def looks_like_option(text: str, grammar: Grammar) -> bool:
    """Whether a word begins an option; a negative number does not, nor does a text with spaces."""
    if not text.startswith("-") or text in {"-", "--"} or _NEGATIVE.fullmatch(text):
        return False
    return " " not in text.partition("=")[0] or _find(_dashed(text, grammar), grammar) is not None


def named(text: str, grammar: Grammar) -> Named:
    """Return the option that a word names, and what it says of it in the same word."""
    head, sign, inline = text.partition("=") if grammar.equals else (text, "", "")
    value = inline if sign else None
    path: tuple[str, ...] = ()
    appends = False
    if grammar.dotted and "." in head:
        appends, head = head.endswith("+"), head.removesuffix("+")
        head, *rest = head.split(".")
        path = tuple(rest)
    head = _dashed(head, grammar)
    found = _find(head, grammar)
    if found is None and grammar.equals and not path:
        glued = _find(head[:_SHORT], grammar) if not head.startswith("--") else None
        if glued is not None and glued.option.kind not in {"switch", "tristate"}:
            found, value, head = glued, text[_SHORT:].removeprefix("="), head[:_SHORT]
    return Named(
        name=found.option.name if found else _unknown(head, grammar),
        option=found.option if found else None,
        head=head,
        off=bool(found and found.off),
        path=path,
        appends=appends,
        value=value,
    )


def _dashed(head: str, grammar: Grammar) -> str:
    return head.replace("_", "-") if grammar.underscores and head.startswith("--") else head


def _unknown(head: str, grammar: Grammar) -> str:
    """Return a name from which the option can be written again."""
    if head.startswith("--") and (grammar.underscores or "_" not in head):
        return head.removeprefix("--").replace("-", "_")
    return head


def _find(head: str, grammar: Grammar) -> _Spelling | None:
    known = _spellings(grammar.options)
    found = known.get(head)
    if found is None and grammar.prefixes and head.startswith("--"):
        begun = {(one.option.name, one.off): one for spelling, one in known.items() if spelling.startswith(head)}
        found = next(iter(begun.values())) if len(begun) == 1 else None
    return found


_tables: dict[int, tuple[tuple[Option, ...], Mapping[str, _Spelling]]] = {}


def _spellings(options: tuple[Option, ...]) -> Mapping[str, _Spelling]:
    """Return every spelling; made once for each tuple of options, which is kept, so that its id stays its own."""
    known = _tables.get(id(options))
    if known is None:
        known = _tables[id(options)] = (options, _table(options))
    return known[1]


def _table(options: tuple[Option, ...]) -> Mapping[str, _Spelling]:
    found: dict[str, _Spelling] = {}
    for option in options:
        yes, no = _Spelling(option=option, off=False), _Spelling(option=option, off=True)
        found |= dict.fromkeys((option.flag, *option.aliases), yes)
        if option.kind == "tristate":
            long = (option.flag, *(alias for alias in option.aliases if alias.startswith("--")))
            found |= dict.fromkeys((f"--no-{flag.removeprefix('--')}" for flag in long), no)
        found |= dict.fromkeys(option.off, no)
    return found

"""The words of a command with flags of an arm laid over them, for arms that are a command of their own."""

__all__ = ["command_flags", "command_with"]

from collections.abc import Mapping, Sequence

from sparktune.deploy.settings.grammars import grammar_of
from sparktune.deploy.settings.normal import options_at
from sparktune.deploy.settings.spelling import looks_like_option, named
from sparktune.model.document import Word
from sparktune.model.setting import Grammar

_BARE = frozenset({"switch", "tristate"})


def command_flags(words: Sequence[str], engine: str) -> dict[str, str | None]:
    """Return the flags of a command by their names as written; None where one has no value, the last one counts."""
    grammar = grammar_of(engine)
    found: dict[str, str | None] = {}
    for start, end in _spans(words, grammar):
        name, sign, value = words[start].partition("=")
        values = [value] if sign else list(words[start + 1 : end])
        found[name] = " ".join(values) if values else None
    return found


def command_with(words: Sequence[str], flags: Mapping[str, object], engine: str) -> tuple[str, ...]:
    """Return the command in which each flag says what an arm wants: a value, True (given), or None (not there)."""
    grammar = grammar_of(engine)
    kept = list(words)
    for name, value in flags.items():
        spans = [(start, end) for start, end in _spans(kept, grammar) if kept[start].partition("=")[0] == name]
        new = [] if value is None else [name] if value is True else [name, str(value)]
        at = spans[-1][0] if spans else len(kept)
        for start, end in reversed(spans):
            kept[start:end] = new if start == at else []
        if not spans:
            kept += new
    return tuple(kept)


def _spans(words: Sequence[str], grammar: Grammar | None) -> list[tuple[int, int]]:
    """Return where each option begins and where its values end; words that belong to none are in no span."""
    first = options_at([Word(text=word, line=0) for word in words], grammar) if grammar is not None else 1
    starts = [place for place in range(max(first, 1), len(words)) if _is_option(words[place], grammar)]
    return [
        (start, _end(words, start, [*starts[number + 1 :], len(words)][0], grammar))
        for number, start in enumerate(starts)
    ]


def _end(words: Sequence[str], start: int, following: int, grammar: Grammar | None) -> int:
    option = named(words[start], grammar).option if grammar is not None else None
    if "=" in words[start] or (option is not None and option.kind in _BARE):
        return start + 1
    return following if option is not None and option.kind in {"list", "ints"} else min(start + 2, following)


def _is_option(word: str, grammar: Grammar | None) -> bool:
    if grammar is not None:
        return looks_like_option(word, grammar)
    return word.startswith("-") and not word.lstrip("-")[:1].isdigit()

"""One file per engine whose command line is understood; each exports ``GRAMMAR``."""

__all__ = ["all_grammars", "grammar_of"]

import sys
from functools import cache

from sparktune.model.setting import Grammar
from sparktune.plugins import load_plugins


@cache
def all_grammars() -> tuple[Grammar, ...]:
    """Return every grammar, by the name of its file."""
    return load_plugins(sys.modules[__name__], "GRAMMAR", Grammar)


def grammar_of(engine: str) -> Grammar | None:
    """Return the grammar of an engine's command line, None where there is none for it."""
    return next((grammar for grammar in all_grammars() if grammar.engine == engine), None)

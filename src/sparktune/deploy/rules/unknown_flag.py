"""Options that an engine does not have."""

__all__ = ["RULE"]

from collections.abc import Iterator
from difflib import get_close_matches

from sparktune.deploy.rules._shared import Found, part_rule
from sparktune.deploy.settings.grammars import grammar_of
from sparktune.deploy.settings.normal import options_at
from sparktune.deploy.settings.spelling import looks_like_option, named
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part
from sparktune.model.setting import Grammar

_CUTOFF = 0.8


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    grammar = grammar_of(part.engine)
    if grammar is None or part.command is None:
        return
    for word in part.command.words[options_at(part.command.words, grammar) :]:
        if "$" in word.text or not looks_like_option(word.text, grammar):
            continue
        found = named(word.text, grammar)
        if found.option is not None:
            continue
        near = get_close_matches(found.head, _spellings(grammar), n=1, cutoff=_CUTOFF)
        doubt = "" if near else "; another version or a fork may have it"
        yield Found(
            severity=Severity.WARNING if near else Severity.INFO,
            evidence=f"{grammar.version} has no option {found.head}{doubt}",
            hint=f"did you mean {near[0]}?" if near else "ask the engine of your image: its --help",
            file=part.document.name,
            line=word.line,
        )


def _spellings(grammar: Grammar) -> list[str]:
    return [spelling for option in grammar.options for spelling in (option.flag, *option.aliases, *option.off)]


RULE = part_rule(
    "unknown-flag",
    title="an option that the engine does not have",
    why="An engine ends at start when it is given an option that it does not know; with several nodes that is one line "
    "among many louder ones.",
    source="the argument parsers of vLLM 0.33.0, llama.cpp b11434 and SGLang 0.5.23 (argparse and common/arg.cpp end "
    "with an error)",
    judge=_judge,
)

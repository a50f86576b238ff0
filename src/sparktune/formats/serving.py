"""The command that starts a server, found among its wrappers: its words and flags, and what its shell sets for it.

Source: POSIX, 2.9 for lists of commands.
"""

__all__ = [
    "CONTAINER_PROGRAMS",
    "Assignment",
    "Call",
    "CallWord",
    "ItemHolder",
    "served",
    "served_script",
    "words_of_text",
]

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from sparktune.formats.located import Located
from sparktune.formats.quoting import Dialect
from sparktune.formats.server_start import ASSIGNMENT, FLAG, is_server, known_start, server_start
from sparktune.formats.shell import ShellWord, Token, lex
from sparktune.formats.yaml_scalar import Edit
from sparktune.model.document import Span

CONTAINER_PROGRAMS = frozenset({"docker", "podman", "nerdctl"})
_SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ash"})
_SCRIPT_OPTION = re.compile(r"-[a-z]*c")
_DEEPEST = 5


class ItemHolder(Protocol):
    """A list in a file that has words as items; edits come as ways to try in turn."""

    def replaced(self, item: int, value: str) -> Sequence[Edit]:
        """Return ways to give an item another value."""
        ...

    def removed(self, first: int, last: int) -> Sequence[Edit]:
        """Return ways to remove items."""
        ...

    def added(self, behind: int, values: Sequence[str]) -> Sequence[Edit]:
        """Return ways to add items behind one."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CallWord:
    """One word, and where it stands: in a text (``word`` of ``source``), or as ``item`` of a list (``holder``)."""

    text: str
    span: Span
    fixed: str = ""
    word: ShellWord | None = None
    source: Located | None = None
    dialect: Dialect = Dialect.SHELL
    item: int = -1
    holder: ItemHolder | None = None
    inner: Located | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A variable that the command's shell or ``env`` sets; ``word`` is all of ``NAME=value``."""

    name: str
    value: str
    word: CallWord
    exported: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The words of the server's command, program first where it is there; ``program`` is how many words name it.

    ``in_shell`` is whether a shell reads it, ``lost`` what stands behind it and never reaches the server, ``others``
    the words of the script's other commands, ``starter`` all words of the command that has the server's.
    """

    words: tuple[CallWord, ...]
    program: int
    in_shell: bool = False
    lost: tuple[CallWord, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    others: tuple[str, ...] = ()
    starter: tuple[CallWord, ...] = ()


@dataclass(frozen=True, slots=True)
class _Simple:
    words: list[CallWord] = field(default_factory=list)
    comments: list[Token] = field(default_factory=list)


def served(words: Sequence[CallWord], *, in_shell: bool = False, depth: int = 0) -> Call:
    """Return the server's command in a list of words: what starts it is taken off, shells are looked into."""
    script = _script(words)
    if script is not None and depth < _DEEPEST:
        return served_script(script, depth + 1)
    start, program, known = server_start([one.text for one in words])
    assignments = _assignments(words[:start])
    if not known and start:
        inner = served(words[start:], in_shell=in_shell, depth=depth + 1) if depth < _DEEPEST else None
        if inner is not None:
            return replace(inner, assignments=(*assignments, *inner.assignments))
    return Call(words=tuple(words[start:]), program=program, in_shell=in_shell, assignments=assignments)


def words_of_text(source: Located, dialect: Dialect) -> tuple[tuple[CallWord, ...], tuple[CallWord, ...]]:
    """Return the words of a text that is one command, and those behind an operator, which are lost.

    Raises ValueError as ``lex`` does.
    """
    found: list[CallWord] = []
    lost: list[CallWord] = []
    ended = False
    for token in lex(source, dialect):
        ended = ended or token.kind == "operator"
        if token.word is not None:
            (lost if ended else found).append(_call_word(token.word, source, dialect))
    return tuple(found), tuple(lost)


def served_script(source: Located, depth: int = 0) -> Call:
    """Return the server's command of a shell script. Raises ValueError for what cannot be split into words."""
    commands = _commands(source)
    chosen = _chosen([one.words for one in commands])
    if chosen is None:
        return Call(words=(), program=0, in_shell=True)
    call = served(commands[chosen].words, in_shell=True, depth=depth)
    before = [one for command in commands[:chosen] for one in _exported(command.words)]
    lost = [word for token in commands[chosen].comments for word in _comment_words(token, source)]
    for command in commands[chosen + 1 :]:
        if command.words and FLAG.match(command.words[0].text):
            lost += command.words
    exported = {id(one.word) for one in before}  # not by what they say: hashing each word takes its whole length
    others = [
        word.text
        for place, command in enumerate(commands)
        for word in (*command.words, _END)
        if place != chosen and id(word) not in exported
    ]
    return replace(
        call,
        in_shell=True,
        starter=tuple(commands[chosen].words),
        lost=(*call.lost, *lost),
        assignments=(*before, *call.assignments),
        others=(*others, *call.others),
    )


_END = CallWord(text="\n", span=Span(start=0, end=0))


def _chosen(commands: Sequence[Sequence[CallWord]]) -> int | None:
    full = [place for place, words in enumerate(commands) if words]
    known = [place for place in full if is_server([one.text for one in commands[place]])]
    known = known or [place for place in full if _is_container(commands[place])]
    if known:
        return known[-1]
    executed = [place for place in full if any(one.text == "exec" for one in commands[place][:2])]
    found = executed or [place for place in full if not FLAG.match(commands[place][0].text)] or full
    return found[-1] if found else None


def _is_container(words: Sequence[CallWord]) -> bool:
    bases = [one.text.rsplit("/", 1)[-1] for one in words]
    return bool(CONTAINER_PROGRAMS.intersection(bases)) and "run" in bases


def _script(words: Sequence[CallWord]) -> Located | None:
    texts = [one.text for one in words]
    if known_start(texts) is not None:
        return None
    for place, text in enumerate(texts[:-1]):
        if text.rsplit("/", 1)[-1] in _SHELLS:
            following = place + 1
            while following < len(texts) - 1 and texts[following].startswith("-"):
                if _SCRIPT_OPTION.fullmatch(texts[following]):
                    return words[following + 1].inner
                following += 1
    return None


def _assignments(words: Sequence[CallWord]) -> tuple[Assignment, ...]:
    return tuple(
        Assignment(name=match[1], value=one.text[match.end() :], word=one)
        for one in words
        if (match := ASSIGNMENT.match(one.text))
    )


def _exported(words: Sequence[CallWord]) -> tuple[Assignment, ...]:
    """Return what a command before the server's sets for it: ``export A=b``; a plain ``A=b`` alone is not exported."""
    if not words or words[0].text not in {"export", "declare", "typeset"}:
        return ()
    return tuple(replace(one, exported=True) for one in _assignments(words[1:]))


def _commands(source: Located) -> list[_Simple]:
    found = [_Simple()]
    redirected = False
    for token in lex(source, Dialect.SHELL):
        if token.kind == "comment":
            found[-1].comments.append(token)
        elif token.kind == "operator":
            redirected = source.text[token.start] in "<>"
            if not redirected:
                found.append(_Simple())
        elif token.word is not None and not redirected and not _is_descriptor(token, source.text):
            found[-1].words.append(_call_word(token.word, source, Dialect.SHELL))
        else:
            redirected = False
    return found


def _is_descriptor(token: Token, text: str) -> bool:
    """Tell whether a word is the number of a redirection (``2>&1``): digits right before it, POSIX 2.7."""
    return text[token.end : token.end + 1] in {"<", ">"} and text[token.start : token.end].isdecimal()


def _comment_words(token: Token, source: Located) -> list[CallWord]:
    text = source.text[token.start + 1 : token.end]
    return [
        CallWord(
            text=match[0],
            span=source.span(token.start + 1 + match.start(), token.start + 1 + match.end()),
            fixed="it stands behind a #",
        )
        for match in re.finditer(r"\S+", text)
    ]


def _call_word(word: ShellWord, source: Located, dialect: Dialect) -> CallWord:
    return CallWord(
        text=word.text,
        span=source.span(word.start, word.end),
        fixed=source.fixed,
        word=word,
        source=source,
        dialect=dialect,
        inner=word.inner,
    )

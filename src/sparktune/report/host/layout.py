"""How all reports of ``host`` are laid out: verdicts first, then what belongs to each node, then what to do next.

A node's words are printed as one line of visible letters each: nothing that it says steers a terminal.
"""

__all__ = ["Body", "Look", "Row", "Tone", "assembled", "paint", "section", "shown", "table", "told", "wrapped"]

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain

from sparktune.model.node_report import NodeReport
from sparktune.report.bench.words import one_line

_GAP = 2
_INDENT = "  "
_COMMAND = "sparktune host"
_TARGET_SHARE = 0.55  # of what the first column leaves of a line
_ID = re.compile(r"(?<![0-9a-f])([0-9a-f]{12})[0-9a-f]{52}(?![0-9a-f])")  # a container's, which Docker shortens, too

# What belongs to a node: parts, of which each is a list of blocks, or is empty.
Body = list[list[str]]


class Tone(Enum):
    """What a line says, as a colour (SGR code); colour only repeats what the words say."""

    GOOD = "32"
    WARN = "33;1"
    BAD = "31;1"
    HEAD = "1"
    ADDED = "32;22"
    REMOVED = "31"
    DIM = "2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How it is shown: columns, colours, and what a command to type next repeats.

    ``where`` are the flags that name the same nodes, ``profile`` those of the same profile (or its file).
    ``final``: the command ends with this report, so that it says what to do next.
    """

    width: int = 100
    color: bool = False
    where: str = ""
    profile: str = ""
    final: bool = True

    def command(self, words: str, *, profile: bool = False) -> str:
        """Return a command of ``host`` on the same nodes, where wanted for the same profile."""
        parts = (_COMMAND, words, self.where, self.profile if profile else "")
        return " ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a table: a word, what it is about, and what is said of it."""

    word: str
    target: str
    value: str


def paint(text: str, tone: Tone | None, look: Look) -> str:
    """Colour text where colours are wanted."""
    return f"\x1b[{tone.value}m{text}\x1b[0m" if tone is not None and look.color and text else text


def shown(text: str) -> str:
    """Return foreign text as one line of visible letters, long ids shortened."""
    return _ID.sub(r"\1...", one_line(text))


def wrapped(text: str, look: Look, indent: str = "", *, hang: str | None = None) -> str:
    """Return foreign text as lines of the look's width; words are never cut, so that paths can be copied."""
    return textwrap.fill(
        shown(text),
        width=look.width,
        initial_indent=indent,
        subsequent_indent=indent + _INDENT if hang is None else hang,
        break_long_words=False,
        break_on_hyphens=False,
    )


def told(text: str, tone: Tone | None, look: Look) -> str:
    """Return a wrapped line of which the first word, a node's or a status, is coloured."""
    lines = wrapped(text, look)
    head, blank, rest = lines.partition(" ")
    return paint(head, tone, look) + blank + rest


def section(title: str, lines: Iterable[str], look: Look) -> list[str]:
    """Return a titled block, or nothing when there are no lines."""
    body = list(lines)
    return ["\n".join([paint(wrapped(title, look), Tone.HEAD, look), *body])] if body else []


def table(header: Row, rows: Sequence[Row], look: Look, *, indent: str = _INDENT) -> list[str]:
    """Return rows under a header, aligned; a target that is too long for its column has a line of its own."""
    word = max(len(row.word) for row in (header, *rows))
    start = len(indent) + word + _GAP
    room = look.width - start - _GAP
    target = min(max(len(shown(row.target)) for row in (header, *rows)), int(room * _TARGET_SHARE))
    lines = [_aligned(row, word, target, look, indent) for row in (header, *rows)]
    return [paint(lines[0], Tone.DIM, look), *lines[1:]]


def _aligned(row: Row, word: int, target: int, look: Look, indent: str) -> str:
    head = f"{indent}{row.word:<{word}}{' ' * _GAP}"
    name = shown(row.target)
    value_at = len(head) + target + _GAP
    if len(name) <= target:
        first, start = f"{head}{name:<{target}}{' ' * _GAP}", value_at
        return _filled(row.value, look, first, " " * start).rstrip()
    below = " " * (len(head) + _GAP)
    said = [_filled(row.value, look, below, below)] if row.value else []
    return "\n".join([_filled(name, look, head, " " * len(head)), *said])


def _filled(text: str, look: Look, first: str, rest: str) -> str:
    filled = textwrap.fill(
        shown(text),
        width=look.width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return filled or first


def _failure(report: NodeReport, look: Look) -> list[str]:
    """Return why a node has no answer, or failed, and what to do; nothing for one that did not."""
    said = [report.failure.removeprefix(f"{report.node}: ")] if report.failure else []
    said += [f"fix: {report.hint}"] if report.hint else []
    return [wrapped(text, look, _INDENT, hang=_INDENT * 2) for text in said]


def assembled(
    reports: Sequence[NodeReport],
    verdict: Callable[[NodeReport], tuple[str, Tone]],
    body: Callable[[NodeReport], Body],
    look: Look,
    *,
    notes: Callable[[NodeReport], Sequence[str]] = lambda report: report.notes,
    after: Sequence[str] = (),
) -> str:
    """Return every node's verdict, then what belongs to them, their notes, and ``after``.

    What is the same for all nodes is there once.
    """
    verdicts: list[str] = []
    for report in reports:
        text, tone = verdict(report)
        verdicts += [told(f"{report.node}: {text}", tone, look), *_failure(report, look)]
    blocks = ["\n".join(verdicts)]
    for nodes, own in _shared({report.node: list(chain.from_iterable(body(report))) for report in reports}):
        heading = [paint(f"--- {shown(', '.join(nodes))} ---", Tone.HEAD, look)] if len(reports) > 1 else []
        blocks += [*heading, *own]
    blocks += _noted({report.node: notes(report) for report in reports}, look)
    blocks += ["\n".join(_advice(line, look) for line in after)] if after and look.final else []
    return "\n\n".join(blocks) + "\n"


def _advice(line: str, look: Look) -> str:
    """Return a line whole when it has a command: whoever copies a wrapped one has half of it."""
    return shown(line) if _COMMAND in line else wrapped(line, look)


def _noted(notes: Mapping[str, Sequence[str]], look: Look) -> list[str]:
    nodes: dict[str, list[str]] = {}
    for node, texts in notes.items():
        for text in dict.fromkeys(texts):
            nodes.setdefault(text, []).append(node)
    of_all = [text for text, names in nodes.items() if len(names) == len(notes)]
    lines = of_all + [f"{', '.join(names)}: {text}" for text, names in nodes.items() if len(names) < len(notes)]
    return section("notes", (wrapped(f"- {line}", look, _INDENT, hang=_INDENT * 2) for line in lines), look)


def _shared(bodies: Mapping[str, list[str]]) -> list[tuple[list[str], list[str]]]:
    """Return blocks with the nodes of which they are said: those of all nodes once, the others node by node."""
    first = next(iter(bodies.values()), [])
    common = [block for block in first if all(block in blocks for blocks in bodies.values())]
    own: dict[tuple[str, ...], list[str]] = {}
    for node, blocks in bodies.items():
        own.setdefault(tuple(block for block in blocks if block not in common), []).append(node)
    parts = [(nodes, list(blocks)) for blocks, nodes in own.items() if blocks]
    if not common:
        return parts
    of_all = (list(bodies), common)
    return [of_all, *parts] if first[0] in common else [*parts, of_all]

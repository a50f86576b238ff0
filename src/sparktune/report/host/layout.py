"""How all reports of ``host`` are laid out: verdicts first, then what belongs to each node, then what to do next.

A node's words are printed as one line of visible letters each: nothing that it says steers a terminal.
"""

__all__ = ["Look", "Row", "Tone", "assembled", "failure_block", "paint", "section", "table", "told", "wrapped"]

import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from sparktune.model.node_report import NodeReport
from sparktune.report.bench.words import one_line

_GAP = 2
_INDENT = "  "
_TARGET_SHARE = 0.55  # of what the first column leaves of a line


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
    """How it is shown: columns, colours, and the flags that name the same nodes in a command to type next.

    ``final``: the command ends with this report, so that it says what to do next.
    """

    width: int = 100
    color: bool = False
    where: str = ""
    final: bool = True

    def command(self, words: str) -> str:
        """Return a command of ``host`` on the same nodes."""
        return f"sparktune host {words}{f' {self.where}' if self.where else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a table: a word, what it is about, and what is said of it."""

    word: str
    target: str
    value: str


def paint(text: str, tone: Tone | None, look: Look) -> str:
    """Colour text where colours are wanted."""
    return f"\x1b[{tone.value}m{text}\x1b[0m" if tone is not None and look.color and text else text


def wrapped(text: str, look: Look, indent: str = "", *, hang: str | None = None) -> str:
    """Return foreign text as lines of the look's width; words are never cut, so that paths can be copied."""
    return textwrap.fill(
        one_line(text),
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
    return ["\n".join([paint(title, Tone.HEAD, look), *body])] if body else []


def table(header: Row, rows: Sequence[Row], look: Look, *, indent: str = _INDENT) -> list[str]:
    """Return rows under a header, aligned; a target that is too long for its column has a line of its own."""
    word = max(len(row.word) for row in (header, *rows))
    start = len(indent) + word + _GAP
    room = look.width - start - _GAP
    target = min(max(len(one_line(row.target)) for row in (header, *rows)), int(room * _TARGET_SHARE))
    lines = [_aligned(row, word, target, look, indent) for row in (header, *rows)]
    return [paint(lines[0], Tone.DIM, look), *lines[1:]]


def _aligned(row: Row, word: int, target: int, look: Look, indent: str) -> str:
    head = f"{indent}{row.word:<{word}}{' ' * _GAP}"
    shown = one_line(row.target)
    value_at = len(head) + target + _GAP
    if len(shown) <= target:
        first, start = f"{head}{shown:<{target}}{' ' * _GAP}", value_at
        return _filled(row.value, look, first, " " * start).rstrip()
    below = " " * (len(head) + _GAP)
    said = [_filled(row.value, look, below, below)] if row.value else []
    return "\n".join([f"{head}{shown}", *said])


def _filled(text: str, look: Look, first: str, rest: str) -> str:
    filled = textwrap.fill(
        one_line(text),
        width=look.width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return filled or first


def failure_block(report: NodeReport, look: Look) -> list[str]:
    """Return why a node has no answer, and what to do; nothing for one that has."""
    if not report.failure:
        return []
    lines = [wrapped(report.failure, look, _INDENT, hang=_INDENT)]
    if report.hint:
        lines.append(wrapped(f"fix: {report.hint}", look, _INDENT, hang=_INDENT))
    return ["\n".join(lines)]


def assembled(
    reports: Sequence[NodeReport],
    verdict: Callable[[NodeReport], tuple[str, Tone]],
    body: Callable[[NodeReport], list[str]],
    look: Look,
    *,
    after: Sequence[str] = (),
) -> str:
    """Return every node's verdict, then the bodies (one for nodes of which the same is said), then ``after``."""
    verdicts = [told(f"{report.node}: {text}", tone, look) for report in reports for text, tone in (verdict(report),)]
    groups: dict[str, list[str]] = {}
    for report in reports:
        groups.setdefault("\n\n".join([*failure_block(report, look), *body(report)]), []).append(report.node)
    blocks = ["\n".join(verdicts)]
    for text, nodes in groups.items():
        if text:
            heading = [] if len(reports) == 1 else [paint(one_line(", ".join(nodes)), Tone.HEAD, look)]
            blocks.append("\n".join([*heading, text]))
    blocks += ["\n".join(wrapped(line, look) for line in after)] if after and look.final else []
    return "\n\n".join(blocks) + "\n"

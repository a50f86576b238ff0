"""What the terminal shows: the verdict, a row per cell, then what a reader has to know about them."""

__all__ = ["write_text"]

import io
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sparktune.model.check import Status
from sparktune.model.metric import MetricSummary
from sparktune.model.result import CellResult, RunResult
from sparktune.report.bench.findings import (
    Finding,
    failures,
    findings,
    flags,
    gaps,
    next_commands,
    quiet_checks,
    verdict,
)
from sparktune.report.bench.words import NOT_APPLICABLE, engine_words, metric_words, one_line

_STYLES = {Status.INVALID: "bold red", Status.WARN: "yellow", Status.UNKNOWN: "cyan", Status.OK: "green"}
_GAPS = (2, 1)  # between columns; the narrow one where the wide one would break names
_FLAG_INDENT = 2
_INDENT = (0, 0, 0, 2)
_DEEPER = (0, 0, 0, 6)


def write_text(result: RunResult, *, width: int = 80, color: bool = False, resume_told: bool = False) -> str:
    """Render the result for a terminal of ``width`` columns.

    Numbers are never cut: a table that cannot be narrower than the terminal goes on below itself, with the cells named
    again. Colour repeats what the words say. ``resume_told``: the error that follows says how to go on.
    """
    tables = _tables(result, width) if result.cells else []
    console = Console(
        file=io.StringIO(),
        width=max([width, *(wide for _, wide in tables)]),
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )
    with console.capture() as capture:
        for part in _parts(result, [table for table, _ in tables], resume_told=resume_told):
            console.print(part)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def _parts(result: RunResult, tables: Sequence[Table], *, resume_told: bool) -> Iterator[RenderableType]:
    run = result.run
    good = all(row.valid and not row.failures for row in result.cells)
    yield Text(verdict(result), style=_STYLES[Status.OK if good else Status.INVALID])
    model = one_line(run.workload.options.model)
    yield Text(f"run {one_line(run.id)}: {model} on {engine_words(run.engine)} at {one_line(run.base_url)}")
    for table in tables:
        yield Text()
        yield table
    if tables:
        yield Text("medians over trials; times from the send of a request; max over all requests", style="dim")
    yield from _findings(findings(result))
    yield from _section("unknown", [f"{gap.titles} ({gap.where}): {gap.why}" for gap in gaps(result)])
    yield from _section("failed requests", failures(result))
    yield from _section("notes", [one_line(note) for note in result.notes])
    quiet = quiet_checks(result)
    yield Text()
    if quiet:
        yield Text(f"checks ok: {', '.join(quiet)}", style="dim")
    for command in next_commands(result, resume_told=resume_told):
        yield Text(f"next: {command}")


def _findings(found: Sequence[Finding]) -> Iterator[RenderableType]:
    problems = [finding for finding in found if finding.status is not Status.UNKNOWN]
    if problems:
        yield Text("\nchecks", style="bold")
    for finding in problems:
        head = Text(f"{finding.ids} {finding.status.value}", style=_STYLES[finding.status])
        yield Padding(head.append(f" in {finding.where}", style="default"), _INDENT)
        for line in finding.lines:
            yield Padding(Text(line), _DEEPER)
        if finding.hint:
            yield Padding(Text(f"hint: {finding.hint}"), _DEEPER)
    yield from _section("not judged (unknown)", [_unjudged(finding) for finding in found if finding not in problems])


def _unjudged(finding: Finding) -> str:
    hint = f" - {finding.hint}" if finding.hint else ""
    return f"{finding.ids}: {'; '.join(finding.lines)} ({finding.where}){hint}"


def _section(title: str, lines: Sequence[str]) -> Iterator[RenderableType]:
    if lines:
        yield Text(f"\n{title}", style="bold")
    for line in lines:
        yield Padding(Text(line), _INDENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """A metric's column: its head of two lines, and a text per row."""

    head: str
    texts: tuple[str, ...]

    @property
    def width(self) -> int:
        return max(len(line) for text in (self.head, *self.texts) for line in text.split("\n"))


def _tables(result: RunResult, width: int) -> list[tuple[Table, int]]:
    """Return the table, or what it is cut into, each with the columns of the terminal that it takes."""
    columns = _columns(result)
    least = _longest_word(result)
    parts: list[list[_Column]] = [[]]
    for column in columns:
        taken = sum(one.width + _GAPS[-1] for one in [*parts[-1], column])
        if parts[-1] and least + taken > width:
            parts.append([])
        parts[-1].append(column)
    return [_table(result, part, width) for part in parts]


def _table(result: RunResult, columns: Sequence[_Column], width: int) -> tuple[Table, int]:
    """Return a table of some columns and the columns of the terminal that it takes."""
    numbers = sum(column.width for column in columns)
    gap = next((gap for gap in _GAPS if numbers + gap * len(columns) + _wanted(result) <= width), _GAPS[-1])
    numbers += gap * len(columns)
    labels = max(min(_wanted(result), width - numbers), _longest_word(result))
    table = Table(box=None, pad_edge=False, padding=(0, 0, 0, gap), header_style="bold")
    table.add_column("\ncell", width=labels, no_wrap=True)
    for column in columns:
        table.add_column(column.head, justify="right", no_wrap=True, width=column.width)
    for number, row in enumerate(result.cells):
        table.add_row(_label(row, labels), *(Text(column.texts[number]) for column in columns))
    return table, labels + numbers


def _wanted(result: RunResult) -> int:
    """Return the width in which no label is broken."""
    return max(max(len(row.cell.label), _FLAG_INDENT + len(flags(row))) for row in result.cells)


def _longest_word(result: RunResult) -> int:
    words = [word for row in result.cells for word in f"{row.cell.label} {flags(row)}".split()]
    return _FLAG_INDENT + max(len(word) for word in words)


def _label(row: CellResult, width: int) -> Text:
    indent = " " * _FLAG_INDENT
    name = textwrap.wrap(row.cell.label, width, subsequent_indent=indent, break_on_hyphens=False)
    marks = textwrap.wrap(flags(row), width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    label = Text("\n".join(name), style="" if row.valid else _STYLES[Status.INVALID])
    style = _STYLES[Status.WARN if row.valid else Status.INVALID]
    return label.append("".join(f"\n{line}" for line in marks), style=style)


def _columns(result: RunResult) -> list[_Column]:
    columns = []
    for name, metric in _shown(result).items():
        metrics = [row.metric(name) for row in result.cells]
        medians = _texts(result, [(found, found.median if found else None) for found in metrics])
        if all(text == NOT_APPLICABLE for text in medians):
            continue
        columns.append(_Column(head=_head(metric.title), texts=medians))
        if name == "ttft_s":
            highest = _texts(result, [(found, found.maximum if found else None) for found in metrics])
            columns.append(_Column(head=_head(f"{metric.title} max"), texts=highest))
    counts = tuple(f"{row.trials}/{row.requests:,}" for row in result.cells)
    return [*columns, _Column(head="trials\n/reqs", texts=counts)]


def _shown(result: RunResult) -> dict[str, MetricSummary]:
    """Return the metrics of the short table, goodput where there is an objective; first tokens side by side."""
    asked = () if result.run.workload.slo.empty else ("goodput_rps",)
    metrics = {
        metric.name: metric for row in result.cells for metric in row.metrics if metric.in_table or metric.name in asked
    }
    return dict(sorted(metrics.items(), key=lambda item: not item[0].startswith("ttft_")))


def _texts(result: RunResult, values: Sequence[tuple[MetricSummary | None, float | None]]) -> tuple[str, ...]:
    return tuple(
        metric_words(metric, value, row.cell) for row, (metric, value) in zip(result.cells, values, strict=True)
    )


def _head(title: str) -> str:
    first, _, rest = one_line(title).partition(" ")
    return f"{first}\n{rest}" if rest else f"\n{first}"

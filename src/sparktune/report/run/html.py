"""The page of a run: what can be used of it first, then pictures, then every number."""

__all__ = ["run_page"]

import json

from sparktune.model.check import Status
from sparktune.model.result import CellResult, RunResult
from sparktune.report.bench.findings import failures, findings, flags, gaps, next_commands, quiet_checks, verdict
from sparktune.report.bench.json import result_record
from sparktune.report.bench.words import engine_words, metric_words, one_line, utc
from sparktune.report.page.parts import Column, badge, bullets, facts, lead, page, section, sections, table
from sparktune.report.page.record import compact
from sparktune.report.run.pictures import RunMaterial, run_drawings
from sparktune.report.svg.markup import Markup, element
from sparktune.units import count_of

_LIMIT = 300_000
_LOOKS = {Status.OK: "ok", Status.WARN: "warn", Status.INVALID: "bad", Status.UNKNOWN: "muted"}


def run_page(material: RunMaterial) -> str:
    """Render the page; where the record would make it too large it is left out, and the page says so."""
    result = material.result
    rendered = _page(material, compact(result_record(result)))
    if len(rendered.encode()) <= _LIMIT:
        return rendered
    command = f"sparktune runs export {one_line(result.run.id)} --save FILE.json"
    return _page(material, json.dumps({"schema": 1, "left_out": f"too large for this page; see: {command}"}))


def _page(material: RunMaterial, record: str) -> str:
    result = material.result
    name = f"run {one_line(result.run.id)}"
    parts = [
        element("h1", f"{name} · {one_line(result.run.workload.options.model)}"),
        _head(result),
        *sections(run_drawings(material)),
        _checks(result),
        _numbers(result),
        _provenance(result),
    ]
    return page(name, parts, record=record)


def _head(result: RunResult) -> Markup:
    good = bool(result.cells) and all(row.valid and not row.failures for row in result.cells)
    glyph, word = ("✓", "VALID") if good else ("✕", "NOT ALL VALID")
    run = result.run
    told = [
        ("engine", engine_words(run.engine)),
        ("cells", str(len(result.cells))),
        ("trials per cell", str(run.workload.trials)),
        ("requests", f"{sum(row.requests for row in result.cells):,}"),
        ("measured", utc(run.created_wall_s)),
        ("server", one_line(run.base_url)),
    ]
    steps = [step for step in next_commands(result) if not step.startswith("sparktune runs report")]  # this is it
    note = "One run measures one setting: it compares nothing. To tell a win from noise, see sparktune ab."
    return element(
        "header",
        badge(glyph, word, "ok" if good else "bad"),
        lead(verdict(result)),
        facts(told),
        bullets([one_line(note) for note in result.notes]),
        element("p", note, class_="small"),
        *(element("p", "Next: ", element("code", step), class_="small") for step in steps),
        class_="card",
    )


def _checks(result: RunResult) -> Markup:
    columns = (
        Column(head="check"),
        Column(head="answer"),
        Column(head="where", words=True),
        Column(head="evidence", words=True),
    )
    rows = [
        (
            found.ids,
            element("span", found.status.value, class_=_LOOKS[found.status]),
            found.where,
            f"{'; '.join(found.lines)}{f' - {found.hint}' if found.hint else ''}",
        )
        for found in findings(result)
    ]
    quiet = quiet_checks(result)
    parts = [table(columns, rows, about="checks")] if rows else []
    parts += [element("p", f"Nothing to say in any cell: {', '.join(quiet)}.", class_="muted")] if quiet else []
    lines = [*failures(result), *(f"{gap.titles} unknown ({gap.where}): {gap.why}" for gap in gaps(result))]
    return section("Checks", *parts, bullets(lines), ident="checks")


def _numbers(result: RunResult) -> Markup:
    names = {metric.name: one_line(metric.title) for row in result.cells for metric in row.metrics if metric.in_table}
    columns = (
        Column(head="cell"),
        *(Column(head=title, number=True) for title in names.values()),
        Column(head="trials / requests", number=True),
        Column(head="flags", words=True),
    )
    rows = [
        (row.cell.label, *_texts(row, names), f"{row.trials} / {row.requests:,}", flags(row)) for row in result.cells
    ]
    about = f"Medians over trials of {count_of(len(result.cells), 'cell')}; every metric is in the page's record."
    return section("Numbers", element("p", about, class_="small"), table(columns, rows, about="cells"), ident="numbers")


def _texts(row: CellResult, names: dict[str, str]) -> list[str]:
    found = [row.metric(name) for name in names]
    return [metric_words(metric, metric.median if metric is not None else None, row.cell) for metric in found]


def _provenance(result: RunResult) -> Markup:
    run, made = result.run, result.run.provenance
    rows = [
        ("run", one_line(run.id)),
        ("server", one_line(run.base_url)),
        ("model", one_line(run.workload.options.model)),
        ("engine", engine_words(run.engine)),
        ("measured by", f"sparktune {one_line(made.tool_version)}, Python {one_line(made.python)}"),
        ("measured on", f"{one_line(made.hostname)}, {one_line(made.machine)}, kernel {one_line(made.kernel)}"),
        ("command", one_line(" ".join(made.argv)) or "unknown"),
        ("prompts", f"corpus {one_line(run.workload.corpus)}, seed {run.workload.seed}"),
    ]
    columns = (Column(head="what"), Column(head="value", words=True))
    told = [(name, element("code", value)) for name, value in rows]
    return section("Provenance", table(columns, told, about="provenance"), ident="provenance")

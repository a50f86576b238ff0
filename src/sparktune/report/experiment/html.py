"""The page of an experiment: the verdict first, then pictures, then everything that they were made of."""

__all__ = ["LIMIT", "experiment_page"]

from sparktune.experiment.verdict import Verdict
from sparktune.model.check import Status
from sparktune.report.ab.harm_words import harm_lines
from sparktune.report.ab.host_words import host_lines
from sparktune.report.ab.json import result_record
from sparktune.report.ab.steps import next_steps
from sparktune.report.ab.words import guard_words, reasons, sentence, unproven_guards, verdict_words
from sparktune.report.bench.words import one_line
from sparktune.report.experiment.material import Material
from sparktune.report.experiment.pictures import drawings
from sparktune.report.experiment.tables import (
    block_table,
    cell_table,
    metric_table,
    trial_table,
    visit_table,
)
from sparktune.report.experiment.words import caution, key_facts, provenance, settings_lines
from sparktune.report.page.parts import (
    Column,
    alarm,
    badge,
    bullets,
    facts,
    folded,
    lead,
    page,
    section,
    sections,
    table,
)
from sparktune.report.page.record import compact
from sparktune.report.svg.markup import Markup, element

LIMIT = 300_000
"""Bytes that a page may have: enough for 200 cells, and a forum still takes it as an attachment."""

_LOOKS = {
    Verdict.IMPROVED: ("ok", "▲"),
    Verdict.REGRESSED: ("bad", "▼"),
    Verdict.EQUIVALENT: ("ok", "="),
    Verdict.DIFFERENT: ("warn", "≠"),
    Verdict.INCONCLUSIVE: ("warn", "?"),
    Verdict.INVALID: ("bad", "✕"),
    Verdict.STOPPED: ("bad", "■"),
    None: ("warn", "…"),
}
_STATUS_LOOKS = {Status.OK: "ok", Status.WARN: "warn", Status.INVALID: "bad", Status.UNKNOWN: "muted"}
_WORST_FIRST = (Status.INVALID, Status.WARN, Status.UNKNOWN, Status.OK)


def experiment_page(material: Material) -> str:
    """Render the page. What would make it too large is left out last things first, and the page says so."""
    for trials, blocks in ((True, True), (False, True), (False, False)):
        rendered = _page(material, trials=trials, blocks=blocks)
        if len(rendered.encode()) <= LIMIT:
            break
    return rendered


def _page(material: Material, *, trials: bool, blocks: bool) -> str:
    result = material.result
    parts = [
        element("h1", f"{one_line(result.experiment.name)} · {one_line(result.experiment.knob)}"),
        _verdict(material),
        *sections(drawings(material)),
        _checks(material),
        _numbers(material, trials=trials),
        _visits(material),
        _provenance(material),
    ]
    title = f"{verdict_words(result)} - {one_line(result.experiment.name)}"
    return page(title, parts, record=_record(material, blocks=blocks))


def _verdict(material: Material) -> Markup:
    result = material.result
    look, glyph = _LOOKS[result.verdict]
    if look == "ok" and (unproven_guards(result) or result.harms):
        look, glyph = "warn", "!"
    arms = [
        element("li", element("span", f"arm {arm.value}", class_="key"), " ", element("code", settings))
        for arm, settings in settings_lines(result.experiment).items()
    ]
    guards = [guard_words(guard) for guard in result.guards] or ["no guard was declared"]
    return element(
        "header",
        badge(glyph, verdict_words(result), look),
        lead(sentence(result).removeprefix(f"{verdict_words(result)}: ")),
        *([alarm(told)] if (told := caution(result)) else []),
        *map(alarm, harm_lines(result.harms)),
        bullets(reasons(result)),
        facts(key_facts(result), big=2),
        element("h3", "Guards"),
        bullets(guards),
        element("h3", "Arms"),
        element("ul", *arms),
        *([element("p", f"Now: {one_line(result.afterwards)}.")] if result.afterwards else []),
        *(element("p", "Next: ", element("code", step), class_="small") for step in _steps(material)),
        class_="card",
    )


def _steps(material: Material) -> list[str]:
    """Return what is next, except to make the page that is being read."""
    return [step for step in next_steps(material.result) if not step.startswith("sparktune runs report")]


def _checks(material: Material) -> Markup:
    columns = (Column(head="check"), Column(head="answer"), Column(head="evidence", words=True))
    ordered = sorted(material.result.checks, key=lambda check: (_WORST_FIRST.index(check.status), check.id))
    rows = [
        (
            one_line(check.id),
            element("span", check.status.value, class_=_STATUS_LOOKS[check.status]),
            f"{one_line(check.evidence)}{f' - {one_line(check.hint)}' if check.hint else ''}",
        )
        for check in ordered
    ]
    answer = "What was checked, the worst first. One that is invalid voids the comparison, whatever the numbers say."
    inner = table(columns, rows, about="checks") if rows else element("p", "No check has run.", class_="muted")
    return section("Checks", element("p", answer, class_="small"), inner, ident="checks")


def _numbers(material: Material, *, trials: bool) -> Markup:
    result = material.result
    every = (
        trial_table(result)
        if trials
        else element("p", "Too many trials for one page; the store has them: sparktune ab show --json.", class_="muted")
    )
    return section(
        "Numbers",
        element("h3", "Blocks"),
        block_table(result),
        element("h3", "Cells"),
        cell_table(result),
        element("h3", "Metrics"),
        metric_table(result),
        folded(f"Every trial of {result.experiment.primary.metric}", every),
        ident="numbers",
    )


def _visits(material: Material) -> Markup:
    result = material.result
    kept = "Every visit that began, in the order of time. Nothing is dropped: what does not count says why."
    notes = [*host_lines(result), *(one_line(note) for note in result.notes)]
    return section("Visits", element("p", kept, class_="small"), visit_table(result), bullets(notes), ident="visits")


def _provenance(material: Material) -> Markup:
    columns = (Column(head="what"), Column(head="value", words=True))
    rows = [(name, element("code", value)) for name, value in provenance(material.result)]
    made = "This page is whole: it fetches nothing, and holds the result as JSON. Times are UTC."
    return section(
        "Provenance",
        table(columns, rows, about="provenance"),
        element("footer", made),
        ident="provenance",
    )


def _record(material: Material, *, blocks: bool) -> str:
    record = result_record(material.result)
    left_out = ["block_results"] if not blocks else []
    if not blocks:
        record["block_results"] = []
    if material.result.experiment.quality is not None:
        # What was answered, word by word and visit by visit, would be most of the page; the guards say what came of it.
        visits = record["visits"] if isinstance(record["visits"], list) else []
        record["visits"] = [{**visit, "quality": None} for visit in visits if isinstance(visit, dict)]
        left_out.append("visits.quality")
    if left_out:
        record["left_out"] = f"{', '.join(left_out)}: too large for this page; see sparktune ab show --json"
    return compact(record)

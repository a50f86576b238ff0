"""The page of a sweep: the verdict first; confirmation, race and screening apart; then what did not run, and why."""

__all__ = ["LIMIT", "sweep_drawings", "sweep_page"]

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from sparktune.experiment.sweep_result import SweepResult
from sparktune.model.prediction import Outcome
from sparktune.model.sweep import Stage
from sparktune.report.ab.harm_words import harm_lines
from sparktune.report.bench.words import one_line, utc
from sparktune.report.charts.drawing import Drawing
from sparktune.report.charts.forest import Forest, forest
from sparktune.report.charts.pareto import pareto
from sparktune.report.experiment.material import Material
from sparktune.report.experiment.pictures import drawings as ab_drawings
from sparktune.report.page.parts import (
    Column,
    alarm,
    badge,
    bullets,
    facts,
    figure,
    folded,
    lead,
    page,
    section,
    sections,
    table,
)
from sparktune.report.page.record import compact
from sparktune.report.svg.markup import Markup, element
from sparktune.report.svg.picture import Missing, Picture
from sparktune.report.sweep.json import result_record
from sparktune.report.sweep.pareto import pareto_view
from sparktune.report.sweep.tables import failed_table, prediction_table, pruned_table, visit_table
from sparktune.report.sweep.views import stage_rows
from sparktune.report.sweep.words import REPORT, constraint_words, next_steps, sentence, verdict_word
from sparktune.units import count_of, format_duration, format_percent

LIMIT = 300_000
"""Bytes that a page may have; a forum still takes it as an attachment."""

_LOOKS = {
    "winner": ("ok", "▲", "WINNER, CONFIRMED"),
    "unproven": ("warn", "!", "NOT PROVEN"),
    "none": ("warn", "=", "NO WINNER"),
    "unconfirmed": ("warn", "?", "NOT CONFIRMED YET"),
    "running": ("warn", "…", "NO RESULT YET"),
    "interrupted": ("warn", "…", "NO RESULT YET"),
}
_CONFIRMING = ("Blocks", "Metrics")


def sweep_page(result: SweepResult, outcomes: Sequence[Outcome] = ()) -> str:
    """Render the page; the record of the confirmation is left out where it would become too large, and it says so."""
    rendered = _page(result, outcomes, whole=True)
    return rendered if len(rendered.encode()) <= LIMIT else _page(result, outcomes, whole=False)


def _page(result: SweepResult, outcomes: Sequence[Outcome], *, whole: bool) -> str:
    parts = [
        element("h1", f"{one_line(result.experiment.name)} · sweep {one_line(result.record.id)}"),
        _verdict(result),
        _confirmation(result),
        *sections(sweep_drawings(result)),
        *_predictions(outcomes),
        _left_out(result),
        _visits(result),
        _plan(result),
    ]
    record = result_record(result, outcomes)
    if not whole:
        record["confirmation"] = None
        record["left_out"] = f"confirmation: too large for this page; see sparktune ab show {result.record.confirm}"
    title = f"{_look(result)[2]} - sweep of {one_line(result.experiment.name)}"
    return page(title, parts, record=compact(record))


def _look(result: SweepResult) -> tuple[str, str, str]:
    look, glyph, words = _LOOKS[verdict_word(result)]
    if result.harmful:
        return "bad", "✕", f"{words}: A GUARD IS WORSE"
    if result.won and result.confirmed is not None and result.confirmed.harms:
        return "warn", "!", words
    return look, glyph, words


def _verdict(result: SweepResult) -> Markup:
    look, glyph, words = _look(result)
    plan = result.plan
    tried = len({visit.key for visit in result.visits})
    shown = [
        ("goes for", f"{result.experiment.primary.metric}, geometric mean over cells"),
        ("worth having", f"{format_percent(plan.margin)} or more"),
        ("visits, before confirmation", str(len(result.visits))),
        ("configurations visited", str(tried)),
        ("they took", format_duration(result.took_s)),
        ("budget", "none was set" if plan.budget_s is None else format_duration(plan.budget_s)),
    ]
    limits = [f"must hold in every cell: {constraint_words(one)}" for one in plan.constraints]
    now = result.confirmed.afterwards if result.confirmed is not None else result.record.afterwards
    return element(
        "header",
        badge(glyph, words, look),
        lead(sentence(result)),
        *map(alarm, _harms(result)),
        facts(shown),
        bullets(limits),
        *([element("p", f"Now: {one_line(now)}.")] if now else []),
        *(element("p", "Next: ", element("code", step), class_="small") for step in _steps(result)),
        class_="card",
    )


def _steps(result: SweepResult) -> Iterator[str]:
    """Yield the next steps but the one that leads to this page."""
    return (step for step in next_steps(result) if not step.startswith(REPORT))


def _harms(result: SweepResult) -> tuple[str, ...]:
    return harm_lines(result.confirmed.harms) if result.confirmed is not None else ()


def _confirmation(result: SweepResult) -> Markup:
    """Return the one part that decides: the winner against the baseline on fresh blocks."""
    if result.confirmed is None:
        missing = "There is none: nothing went so far." if not result.record.winner else "It has not begun yet."
        return section("Confirmation", element("p", f"{missing} Nothing below is a claim."), ident="confirmation")
    told = (
        "Fresh blocks, made after the choice: they alone decide. A is the baseline, B is "
        f"{one_line(result.record.winner)}. The stages below only chose whom to look at."
    )
    pictures: list[str] = []
    for one in ab_drawings(Material(result=result.confirmed)):
        if one.heading in _CONFIRMING:
            pictures += [element("h3", one.heading), figure(one.draw, one.caption, both=one.both)]
    return section(
        "Confirmation",
        element("p", told, class_="small"),
        element("p", "All of it: ", element("code", f"sparktune ab show {result.record.confirm}"), class_="small"),
        *pictures,
        ident="confirmation",
    )


def sweep_drawings(result: SweepResult) -> Iterator[Drawing]:
    """Yield the pictures of what chose: all that was measured, then race and screening apart."""
    points = pareto_view(result)
    yield Drawing(
        heading="Throughput against waiting",
        draw=lambda width: pareto(points, width),
        caption=(
            "Left and up is better. Filled: no other beats it; hollow: another is as good in both and better in one; "
            "crossed: beyond a limit; square: the baseline; ringed: the winner. Medians over visits of screening and "
            "race, each metric in its worst cell: with so few visits, points that are close are not told apart."
            f"{_absent(points.absent)}"
        ),
    )
    for heading, stage, told in (
        ("Race", Stage.RACE, "Blocks of all that were left; it chose whom to confirm."),
        ("Screening", Stage.SCREEN, "One visit each, one knob moved; it chose who races."),
    ):
        rows = stage_rows(result, stage)
        if rows.rows:
            caption = (
                f"{told} Bars: two standard errors to either side, where there is one. The best of several looks "
                "better than it is, so nothing here is a claim."
            )
            yield Drawing(heading=heading, draw=partial(_stage_picture, rows, heading.lower()), caption=caption)


def _stage_picture(rows: Forest, name: str, width: float) -> Picture | Missing:
    """Draw a stage under its own name: as a file it must not take the place of another one's."""
    picture = forest(rows, width)
    return replace(picture, name=name) if isinstance(picture, Picture) else picture


def _absent(absent: Sequence[tuple[str, str]]) -> str:
    return f" Not in it: {', '.join(name for name, _ in absent)} (see below)." if absent else ""


def _predictions(outcomes: Sequence[Outcome]) -> Iterator[Markup]:
    if outcomes:
        told = (
            "Arithmetic from one run and one start, made before any restart, beside what visits showed. Step: how long "
            "a decode step took against the baseline's; below the break-even it is faster."
        )
        yield section(
            "Predicted against measured",
            element("p", told, class_="small"),
            prediction_table(outcomes),
            bullets(f"{one_line(one.prediction.key)}: {one_line(one.prediction.why)}" for one in outcomes),
            ident="predicted",
        )


def _left_out(result: SweepResult) -> Markup:
    return section(
        "What did not run, or is beyond a limit",
        element("p", "Kept with its reason, and not tried again by this sweep.", class_="small"),
        failed_table(result),
        element("h3", "Left out before any start"),
        pruned_table(result.plan),
        ident="left-out",
    )


def _visits(result: SweepResult) -> Markup:
    told = f"{count_of(len(result.visits), 'visit')}, in the order of time; the blocks of the confirmation are apart."
    return section(
        "Visits",
        element("p", told, class_="small"),
        folded("Every visit", visit_table(result)),
        ident="visits",
    )


def _plan(result: SweepResult) -> Markup:
    plan, experiment = result.plan, result.experiment
    columns = (Column(head="what"), Column(head="value", words=True))
    lines = [
        ("sweep", result.record.id),
        ("begun", utc(result.record.created_wall_s)),
        ("server", experiment.base_url),
        ("launcher", experiment.launcher),
        ("seed", str(plan.seed)),
        ("blocks of the race", f"{plan.race_blocks} at most; {'pairs race too' if plan.pairs else 'no combinations'}"),
        *((one.knob, f"{', '.join(one.values)} (now {one.baseline or 'not set'})") for one in plan.ranges),
    ]
    rows = [(one_line(name), element("code", one_line(value))) for name, value in lines]
    made = "This page is whole: it fetches nothing, and holds the result as JSON. Times are UTC."
    return section("Plan", table(columns, rows, about="plan"), element("footer", made), ident="plan")

"""All pictures of an experiment, in the order of the page."""

__all__ = ["drawings"]

from sparktune.report.bench.words import one_line
from sparktune.report.charts.acceptance import acceptance
from sparktune.report.charts.drawing import Drawing
from sparktune.report.charts.forest import forest
from sparktune.report.charts.heat import Heat, heat_map
from sparktune.report.charts.memory import memory_picture
from sparktune.report.charts.paired import paired_blocks
from sparktune.report.charts.session import session_timeline
from sparktune.report.charts.wave import wave_timeline
from sparktune.report.experiment.material import Material
from sparktune.report.experiment.memory_view import memory_view
from sparktune.report.experiment.views import (
    acceptance_series,
    cell_heats,
    forest_rows,
    pairs,
    session,
    wave_panels,
)

_TWICE = 60  # cells; a larger grid scrolls on a phone, drawn a second time it would make the page too large
_BLOCKS_CAPTION = (
    "One line per block, from A (left) to B (right); the filled mark was visited first. Small dots are the "
    "trials of a visit, all of them; a hollow triangle is one beyond the axis. On this axis equal "
    "slopes are equal changes. At the right the change that all blocks come to, with its interval."
)
_ACCEPTANCE_CAPTION = "Share of draft rounds in which the token at this position was accepted; medians over visits."


def drawings(material: Material) -> tuple[Drawing, ...]:
    """Return what can be drawn of an experiment."""
    result = material.result
    paired, rows = pairs(result), forest_rows(result)
    series, spec_cell = acceptance_series(result)
    return (
        Drawing(
            heading="Blocks",
            draw=lambda width: paired_blocks(paired, width),
            caption=_BLOCKS_CAPTION,
        ),
        Drawing(
            heading="Metrics",
            draw=lambda width: forest(rows, width),
            caption=_metrics_caption(only_equivalence=result.experiment.rules.only_equivalence),
        ),
        *(_grid(heat) for heat in cell_heats(result)),
        _wave(material),
        _session(material),
        *_memory(material),
        Drawing(
            heading="Acceptance by position",
            draw=lambda width: acceptance(series, spec_cell, width),
            caption=_ACCEPTANCE_CAPTION,
        ),
    )


def _memory(material: Material) -> tuple[Drawing, ...]:
    """Return the memory of a visit, where it was watched: nothing else has to say that it was not."""
    shown = memory_view(material.result)
    if shown is None:
        return ()
    caption = (
        f"Available memory of each node during {shown.visit}, as its guards read it: the visit that a guard stopped, "
        "else the one that left the least. Dashed: the floor; the mark: where a guard stopped it."
    )
    return (Drawing(heading="Memory", draw=lambda width: memory_picture(shown, width), caption=caption),)


def _grid(heat: Heat) -> Drawing:
    return Drawing(
        heading="Cells",
        subtitle=one_line(heat.title),
        draw=lambda width: heat_map(heat, width),
        caption=(
            "Rows are prompt tokens, columns streams. Blue: B better; orange: B worse. Hatched: not shown to hold when "
            "all cells are judged together (Holm). A corner: a check has something to say of the cell, see the table."
        ),
        both=len(heat.tiles) <= _TWICE,
    )


def _metrics_caption(*, only_equivalence: bool) -> str:
    inside = "where both are the same" if only_equivalence else "not worth having"
    return (
        f"How much better B is. The band of the primary is {inside}; the bracket of a guard is what it "
        "allows; observed metrics (hollow) decide nothing. Numbers are a metric's own change: less is a minus."
    )


def _wave(material: Material) -> Drawing:
    panels, cell = wave_panels(material)
    return Drawing(
        heading="One wave, stream by stream",
        draw=lambda width: wave_timeline(panels, cell, width),
        caption=_wave_caption(reference=any(panel.solo is not None for panel in panels)),
    )


def _session(material: Material) -> Drawing:
    visits, lanes = session(material)
    return Drawing(
        heading="Session",
        draw=lambda width: session_timeline(visits, lanes, width),
        caption=_session_caption(material, recorded=bool(lanes)),
    )


def _wave_caption(*, reference: bool) -> str:
    lines = (
        "Dotted: first tokens if prompts were computed one after the other, each in the time of one alone."
        if reference
        else "No reference lines: no cell has one stream with this prompt, so nobody knows how long it takes alone."
    )
    return (
        "Grey: waiting and prefill, until the first token; coloured: output. Chosen by rule, not by eye: the cell with "
        f"most streams, the middle block, its middle trial. {lines}"
    )


def _session_caption(material: Material, *, recorded: bool) -> str:
    runs = {visit.record.run_id for visit in material.result.visits if visit.result is not None}
    warm = (
        "Hatched: starting and warming up, before the first trial."
        if runs and runs <= set(material.measured_from)
        else "Warm-up: not recorded for every visit."
    )
    sensors = (
        "Sensors: filled when a visit began, hollow after its trials."
        if recorded
        else "Temperature and memory: not recorded (no node was read)."
    )
    return f"Every visit that began, its block below; crossed out: it does not count. {warm} {sensors}"

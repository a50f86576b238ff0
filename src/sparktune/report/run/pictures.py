"""The pictures of a run: cells as grids, one wave, acceptance by position."""

__all__ = ["RunMaterial", "choose_cell", "run_drawings"]

import math
from dataclasses import dataclass

from sparktune.model.cell import Cell
from sparktune.model.check import Status
from sparktune.model.result import CellResult, RunResult
from sparktune.model.trial import Trial
from sparktune.report.bench.findings import flags
from sparktune.report.bench.words import one_line, value_words
from sparktune.report.charts.acceptance import AcceptanceSeries, acceptance
from sparktune.report.charts.drawing import Drawing
from sparktune.report.charts.heat import Heat, Tile, heat_map
from sparktune.report.charts.shapes import shape_of
from sparktune.report.charts.streams import solo_of, streams_of
from sparktune.report.charts.wave import WavePanel, wave_timeline

_GRIDS = (("output_tok_s", "Output tokens per second"), ("ttft_s", "Time to the first token"))
_TWICE = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMaterial:
    """``wave`` is a recorded trial of ``choose_cell``, None where it cannot be read."""

    result: RunResult
    wave: Trial | None = None


def choose_cell(result: RunResult) -> Cell | None:
    """Return the cell whose middle trial is shown: most streams, then the longest prompt; None without any."""
    cells = [row.cell for row in result.cells if row.trials]
    return max(cells, key=lambda cell: (cell.streams, cell.total_prompt_tokens), default=None)


def run_drawings(material: RunMaterial) -> tuple[Drawing, ...]:
    """Return what can be drawn of a run."""
    result, wave = material.result, material.wave
    panels: tuple[WavePanel, ...] = ()
    if wave is not None:
        solo = solo_of([result], wave.cell)
        panels = (WavePanel(title="streams", look="b", streams=streams_of(wave), solo=solo),)
    label = wave.cell.label if wave is not None else ""
    series, cell = _series(result)
    return (
        *(_grid(title, heat) for name, title in _GRIDS for heat in _heats(result, name, title)),
        Drawing(
            heading="One wave, stream by stream",
            draw=lambda width: wave_timeline(panels, label, width),
            caption=(
                "Grey: waiting and prefill, until the first token; coloured: output. Chosen by rule, not by eye: "
                "the cell with most streams, its middle trial. Dotted, where one stream was measured alone: first "
                "tokens if prompts were computed one after the other."
            ),
        ),
        Drawing(
            heading="Acceptance by position",
            draw=lambda width: acceptance(series, cell, width),
            caption="Share of draft rounds in which the token at this position was accepted; medians over trials.",
        ),
    )


def _grid(title: str, heat: Heat) -> Drawing:
    return Drawing(
        heading=title,
        subtitle=heat.title.removeprefix(f"{title}: "),
        draw=lambda width: heat_map(heat, width),
        caption=(
            "Medians over trials, below them the range; rows are prompt tokens, columns streams. A stronger blue is "
            "more (logarithmic), no judgement. Hatched: not valid. A corner: a check has something to say."
        ),
        both=len(heat.tiles) <= _TWICE,
    )


def _heats(result: RunResult, name: str, title: str) -> list[Heat]:
    known = [value for row in result.cells if (value := _median(row, name)) is not None and value > 0]
    if not known:
        return []
    grids: dict[str, list[Tile]] = {}
    for row in sorted(result.cells, key=lambda row: _order(row.cell)):
        tile = _tile(row, name, min(known), max(known))
        grids.setdefault(shape_of(row.cell).grid, []).append(tile)
    heats = []
    for number, (grid, tiles) in enumerate(grids.items(), start=1):
        heats.append(
            Heat(
                name=f"{name.replace('_', '-')}{f'-{number}' if len(grids) > 1 else ''}",
                title=f"{title}: {grid}",
                tiles=tuple(tiles),
            )
        )
    return heats


def _order(cell: Cell) -> tuple[int, ...]:
    return cell.output_tokens, cell.depth, cell.prompt_tokens, cell.concurrency


def _tile(row: CellResult, name: str, low: float, high: float) -> Tile:
    value, summary = _median(row, name), row.metric(name)
    unit = summary.unit if summary is not None else ""
    marks = one_line(flags(row))
    shade = None
    if value is not None and value > 0:
        shade = math.log(value / low) / math.log(high / low) if high > low else 0.0
    return Tile(
        row=shape_of(row.cell).row,
        column=shape_of(row.cell).column,
        number=value_words(value, unit),
        under=_range(row, name, unit),
        shade=shade,
        solid=row.valid,
        mark=marks,
        invalid=any(check.status is Status.INVALID for check in row.checks),
        seen=f"{row.cell.label}: {value_words(value, unit)} {unit}{f'; {marks}' if marks else ''}",
    )


def _range(row: CellResult, name: str, unit: str) -> str:
    summary = row.metric(name)
    known = [value for value in summary.per_trial if value is not None and math.isfinite(value)] if summary else []
    return f"{value_words(min(known), unit)}…{value_words(max(known), unit)}" if len(known) > 1 else ""


def _median(row: CellResult, name: str) -> float | None:
    summary = row.metric(name)
    value = summary.median if summary is not None else None
    return value if value is not None and math.isfinite(value) else None


def _series(result: RunResult) -> tuple[tuple[AcceptanceSeries, ...], str]:
    for row in sorted(result.cells, key=lambda row: (-row.cell.concurrency, -row.cell.total_prompt_tokens)):
        summary = row.metric("acceptance_per_position")
        if summary is not None and summary.by_position:
            return (AcceptanceSeries(name="accepted", look="b", shares=summary.by_position),), row.cell.label
    return (), ""

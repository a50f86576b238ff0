"""Where a cell stands in a grid of prompt and streams, and which cells share one: no two in the same place."""

__all__ = ["Shape", "shape_of"]

from dataclasses import dataclass

from sparktune.model.cell import Cell
from sparktune.report.bench.words import one_line
from sparktune.units import format_count


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """``grid`` is what cells of one grid have in common, in words; the rest is the cell's place in it."""

    grid: str
    row: str
    column: str


def shape_of(cell: Cell) -> Shape:
    """Return the place of a cell. A mix is in no row of prompt lengths: its requests differ."""
    if cell.household is not None or cell.replay is not None:
        return Shape(grid=one_line(cell.label), row="mix", column=str(cell.streams))
    arrivals = f", {cell.arrivals.label}" if cell.arrivals.label else ""
    context = f", {format_count(cell.depth)} tokens of context" if cell.depth else ""
    row = one_line(cell.prompts.label) if cell.prompts is not None else format_count(cell.prompt_tokens)
    own = ", own prompts" if cell.prompts is not None else ""
    grid = f"{format_count(cell.output_tokens)} output tokens{context}{arrivals}{own}"
    return Shape(grid=grid, row=row, column=str(cell.concurrency))

"""The columns by which rows of a cell are found."""

__all__ = ["cell_from", "cell_key"]

import sqlite3
from dataclasses import dataclass, field

from sparktune.io.store.codec import from_json, to_json
from sparktune.model.arrival import Arrivals
from sparktune.model.cell import Cell
from sparktune.model.mix import Household, OwnPrompts, Replay


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """What a cell is beyond its four numbers."""

    arrivals: Arrivals = field(default_factory=Arrivals)
    household: Household | None = None
    prompts: OwnPrompts | None = None
    replay: Replay | None = None


def cell_key(run_id: str, cell: Cell) -> tuple[str, int, int, int, int, str]:
    """Return the values of run_id, prompt_tokens, output_tokens, depth, concurrency and shape."""
    return (run_id, cell.prompt_tokens, cell.output_tokens, cell.depth, cell.concurrency, _shape_text(cell))


def cell_from(row: sqlite3.Row) -> Cell:
    """Rebuild the cell that a row belongs to."""
    shape = from_json(row["shape"], _Shape) if row["shape"] else _Shape()
    return Cell(
        prompt_tokens=row["prompt_tokens"],
        output_tokens=row["output_tokens"],
        depth=row["depth"],
        concurrency=row["concurrency"],
        arrivals=shape.arrivals,
        household=shape.household,
        prompts=shape.prompts,
        replay=shape.replay,
    )


def _shape_text(cell: Cell) -> str:
    """Return the same text for equal cells; empty for a cell of four numbers."""
    if cell.is_plain:
        return ""
    shape = {"arrivals": cell.arrivals, "household": cell.household, "prompts": cell.prompts}
    # Cells that were stored before there were replays keep the text that they are found by.
    return to_json({**shape, "replay": cell.replay} if cell.replay else shape)

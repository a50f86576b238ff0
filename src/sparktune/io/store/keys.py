"""The columns by which rows of a cell are found."""

__all__ = ["cell_from", "cell_key"]

import sqlite3

from sparktune.model.cell import Cell


def cell_key(run_id: str, cell: Cell) -> tuple[str, int, int, int, int]:
    """Return the values of run_id, prompt_tokens, output_tokens, depth, concurrency."""
    return (run_id, cell.prompt_tokens, cell.output_tokens, cell.depth, cell.concurrency)


def cell_from(row: sqlite3.Row) -> Cell:
    """Rebuild the cell that a row belongs to."""
    return Cell(
        prompt_tokens=row["prompt_tokens"],
        output_tokens=row["output_tokens"],
        depth=row["depth"],
        concurrency=row["concurrency"],
    )

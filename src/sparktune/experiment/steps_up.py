"""Steps up: before a heavier cell, whether there is memory for it, judged by what the steps before it took.

Memory is taken to grow with the tokens that are in flight at once, in a straight line through the last two steps (the
first one starts from the memory before any load). That holds for a cache of keys and values that grows by pages; one
that is allocated whole at the start does not grow at all, and then the line is flat and nothing is refused.
"""

__all__ = ["Step", "ascending", "refusal", "weight_of"]

from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.model.cell import Cell
from sparktune.model.guard import Limits
from sparktune.units import Bytes, Tokens, format_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A cell that was measured: its weight, and the least memory that a node had available meanwhile."""

    weight: Tokens
    lowest: Bytes


def weight_of(cell: Cell) -> Tokens:
    """Return the tokens that a cell has in flight at most, all streams together; of own prompts only the output."""
    return cell.concurrency * (cell.total_prompt_tokens + cell.output_tokens)


def ascending(cells: Sequence[Cell]) -> tuple[int, ...]:
    """Return the places of cells from the lightest to the heaviest; equals stay as they are."""
    return tuple(sorted(range(len(cells)), key=lambda place: weight_of(cells[place])))


def refusal(node: str, steps: Sequence[Step], weight: Tokens, limits: Limits) -> str:
    """Return why a cell of this weight is not begun on a node; "" when nothing speaks against it.

    ``steps`` begins with the memory before any load, of weight 0.
    """
    floor = limits.available_floor
    if floor is None or not steps:
        return ""
    now = steps[-1].lowest
    if now < floor:
        return f"{node}: only {format_bytes(now)} were left in the step before, the floor is {format_bytes(floor)}"
    if len(steps) == 1:
        return ""
    before, last = steps[-2], steps[-1]
    taken, grown = before.lowest - last.lowest, last.weight - before.weight
    if taken <= 0 or grown <= 0 or weight <= last.weight:
        return ""
    expected = round(last.lowest - taken * (weight - last.weight) / grown)
    if expected >= floor:
        return ""
    return (
        f"{node}: {format_bytes(last.lowest)} were left with {last.weight} tokens in flight, and "
        f"{format_bytes(taken)} went with the last {grown}; {weight} tokens would leave "
        f"{format_bytes(max(expected, 0))}, the floor is {format_bytes(floor)}"
    )

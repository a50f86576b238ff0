"""Arms of a table that no effect is estimated for, and why: nobody has to find out that one is missing."""

__all__ = ["Uncompared", "uncompared"]

from dataclasses import dataclass

from sparktune.experiment.compare import metrics_of
from sparktune.model.table import Row, Table

_SHOWN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncompared:
    """A second arm that has no effect in any metric, and why."""

    first: str
    second: str
    why: str


def uncompared(table: Table, arms: tuple[str, str], void: frozenset[int]) -> Uncompared:
    """Say why there is no effect between two arms, once it is known that there is none."""
    rows = [[row for row in table.rows if row.arm == arm] for arm in arms]
    cells = [{(*row.cell, row.label, row.prompt_id) for row in found} for found in rows]
    other = arms[0] or "the other"
    if not metrics_of(table, arms):
        has = "; ".join(f"{arm or 'the other'} has {_told(found)}" for arm, found in zip(arms, rows, strict=True))
        why = f"no metric that can be compared is in both ({has})"
    elif not cells[0] & cells[1]:
        why = f"it has no cell that {other} has too"
    elif any(row.arm in arms for place, row in enumerate(table.rows) if place in void):
        why = f"of the cells that {other} has too, rules void every row"
    else:
        why = f"no cell has a number above 0 of the same metric in {other} too"
    return Uncompared(first=arms[0], second=arms[1], why=why)


def _told(rows: list[Row]) -> str:
    names = sorted({name for row in rows for name in row.values})
    rest = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{rest}" if names else "no number"

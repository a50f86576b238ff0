"""Cells as a grid of prompt and concurrency: an effect's colour and number in each, or a value's.

Sign and number say what the colour says. Hatched: not shown to hold when all cells are judged together.
"""

__all__ = ["Heat", "Tile", "heat_map"]

from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.report.svg.draw import hatched, hatching, path, rect, text, text_width, tooltip
from sparktune.report.svg.markup import Markup, element, joined
from sparktune.report.svg.palette import heat_class
from sparktune.report.svg.picture import Missing, Picture
from sparktune.units import count_of

_NARROWEST, _WIDEST, _HIGH, _TOP = 70.0, 132.0, 44.0, 40.0
_MARK = 12.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """``shade`` from -1 (orange) to 1 (blue), None for no colour; ``number`` and ``under`` are its words.

    ``solid`` false hatches it. ``mark`` is told in a corner (``V01``), ``seen`` is what a pointer shows.
    """

    row: str
    column: str
    number: str
    under: str = ""
    shade: float | None = None
    solid: bool = True
    mark: str = ""
    invalid: bool = False
    seen: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heat:
    """``rows`` and ``columns`` in their order; several tiles may stand in one place when shapes differ in more."""

    name: str
    title: str
    tiles: tuple[Tile, ...]
    rows_are: str = "prompt"
    columns_are: str = "streams"


def heat_map(heat: Heat, width: float) -> Picture | Missing:
    """Draw the grid; it is as wide as its columns need, which may be more than ``width``."""
    if not heat.tiles:
        return Missing("no cell was measured")
    rows, columns = (list(dict.fromkeys(names)) for names in _names(heat.tiles))
    left = max(text_width(name) for name in (*rows, heat.rows_are)) + 16
    each = min(_WIDEST, max(_NARROWEST, (width - left - 4) / len(columns)))
    body = [
        hatching(),
        text(4, 32, heat.rows_are, "t-muted t-small"),
        text(left, 14, heat.columns_are, "t-muted t-small"),
        *(text(left + each * (at + 0.5), 32, name, "t-mid") for at, name in enumerate(columns)),
        *(text(4, _TOP + _HIGH * (at + 0.5) + 4, name) for at, name in enumerate(rows)),
        *(
            _tile(tile, left + each * columns.index(tile.column), _TOP + _HIGH * rows.index(tile.row), each)
            for tile in heat.tiles
        ),
    ]
    told = [f"{tile.row}, {tile.column} {heat.columns_are}: {tile.number}{_besides(tile)}" for tile in heat.tiles]
    return Picture(
        name=heat.name,
        title=heat.title,
        description=f"{count_of(len(heat.tiles), 'cell')}: {'; '.join(told[:40])}",
        body=joined(body),
        width=left + each * len(columns) + 4,
        height=_TOP + _HIGH * len(rows) + 6,
    )


def _names(tiles: Sequence[Tile]) -> tuple[list[str], list[str]]:
    return [tile.row for tile in tiles], [tile.column for tile in tiles]


def _besides(tile: Tile) -> str:
    parts = [tile.under, "" if tile.solid else "not shown to hold", tile.mark]
    told = ", ".join(part for part in parts if part)
    return f" ({told})" if told else ""


def _tile(tile: Tile, x: float, y: float, each: float) -> Markup:
    look = heat_class(tile.shade, 1.0) if tile.shade is not None else "f-surface"
    halo = f"halo on-{look}" if tile.shade is not None else "halo s-surface"
    parts = [rect(x + 1, y + 1, each - 2, _HIGH - 2, f"{look} s-line", round_=4)]
    if not tile.solid:
        parts.append(hatched(x + 1, y + 1, each - 2, _HIGH - 2, 4))
    under = tile.under if text_width(tile.under, 11) <= each - 4 else ""  # a number is never cut
    at = y + (_HIGH / 2 if under else _HIGH / 2 + 5)
    parts.append(text(x + each / 2, at, tile.number, f"t-mid t-bold {halo}"))
    if under:
        parts.append(text(x + each / 2, y + _HIGH / 2 + 15, under, f"t-mid t-small {halo}"))
    if tile.mark:
        corner = [(x + each - 2 - _MARK, y + 2), (x + each - 2, y + 2), (x + each - 2, y + 2 + _MARK)]
        parts.append(path(corner, "f-bad" if tile.invalid else "f-warn", closed=True))
    return element("g", *([tooltip(tile.seen)] if tile.seen else []), *parts)

"""Rows of drift for a terminal: the verdict first, then the table, why of each that parts, and the next step."""

__all__ = ["drift_text"]

from collections.abc import Iterator, Sequence
from typing import Final

from sparktune.model.drift import DriftRow, DriftStatus
from sparktune.report.bench.words import one_line
from sparktune.report.drift.verdict import drifted, layer_text, verdict
from sparktune.report.layout import fold, table_text

_COLUMNS: Final = ("setting", "node", "earned", "file", "echoed", "live", "status")
_COLOURS: Final = {
    DriftStatus.UNREADABLE: "33",
    DriftStatus.NOT_LIVE: "31;1",
    DriftStatus.FILE_DRIFT: "31;1",
    DriftStatus.NODES_DIFFER: "31;1",
    DriftStatus.OK: "32",
}
_WIDEST: Final = 34
_MOST_DETAILS: Final = 30


def _shown_rows(rows: Sequence[DriftRow], *, everything: bool = False) -> tuple[DriftRow, ...]:
    """Return the rows that a person is shown: all, or those that were earned, or that part from something."""
    return tuple(row for row in rows if everything or row.status is not DriftStatus.UNEARNED)


def drift_text(
    rows: Sequence[DriftRow], *, everything: bool = False, quiet: bool = False, width: int = 100, color: bool = False
) -> str:
    """Return the report for a terminal of ``width`` columns.

    ``quiet`` has the verdict alone, and nothing where all is well: made for cron.
    """
    if quiet:
        fine = all(row.status in {DriftStatus.OK, DriftStatus.UNEARNED} for row in rows)
        return "" if fine else f"{verdict(rows)}\n"
    shown = _shown_rows(rows, everything=everything)
    blocks = ["\n".join(fold(verdict(rows), width))]
    if shown:
        blocks.append(_table(shown, width, color=color))
    blocks += ["\n".join(_details(shown, width, everything=everything))]
    left = len(rows) - len(shown)
    if left:
        more = f"{left} more rows are as their files say and were earned by nobody: --all shows them"
        blocks.append("\n".join(fold(more, width)))
    return "\n\n".join(block for block in blocks if block) + "\n"


def _table(rows: Sequence[DriftRow], width: int, *, color: bool) -> str:
    echoes = any(row.echoed is not None for row in rows)
    columns = [name for name in _COLUMNS if echoes or name != "echoed"]
    told: list[Sequence[str]] = []
    for row in rows:
        cells = (row.earned, row.file, *((row.echoed,) if echoes else ()), row.live)
        layers = [_cut(layer_text(one)) for one in cells]
        status = " + ".join(one.value for one in (row.status, *row.also))
        words = (row.key.removeprefix("env."), row.node, *layers, status)
        told.append(tuple(map(one_line, words)))
    tones = [_COLOURS.get(row.status, "") for row in rows] if color else None
    return table_text(columns, told, width, ("setting", "node"), tones=tones).rstrip("\n")


def _cut(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."


def _details(rows: Sequence[DriftRow], width: int, *, everything: bool) -> Iterator[str]:
    """Say of each row that parts from something why, where its layers were read, and what to do next."""
    told = [row for row in rows if drifted(row) or row.status is DriftStatus.UNREADABLE or (everything and row.why)]
    for row in told[:_MOST_DETAILS]:
        head = f"{row.key.removeprefix('env.')} on {row.node}" + (f" ({row.part})" if row.part else "")
        yield from _wrapped(f"{head}: {one_line(row.why) or row.status.value}", width, "")
        places = [
            f"{name} from {one_line(one.place)}"
            for name, one in (("earned", row.earned), ("file", row.file), ("echoed", row.echoed), ("live", row.live))
            if one is not None and one.place
        ]
        yield from _wrapped(", ".join(places), width, "  ")
        if row.survives is False:
            yield from _wrapped("the live value is gone after the next start", width, "  ")
    if len(told) > _MOST_DETAILS:
        yield from _wrapped(f"and {len(told) - _MOST_DETAILS} more rows; --json has all of them", width, "")
    hints = dict.fromkeys(row.hint for row in told if row.hint)
    for hint in hints:
        yield from _wrapped(f"next: {hint}", width, "")


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    return fold(text, width, indent=indent, hang=f"{indent}  ")

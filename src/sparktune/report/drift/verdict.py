"""What rows come to, in one sentence."""

__all__ = ["drifted", "layer_text", "verdict"]

from collections.abc import Sequence

from sparktune.model.drift import DriftCell, DriftRow, DriftStatus
from sparktune.model.observed import State
from sparktune.report.bench.words import one_line

_MOST_NAMED = 3
_SETTINGS = "settings"


def drifted(row: DriftRow) -> bool:
    """Tell whether something in a row parts from something else."""
    return any(status.is_drift for status in (row.status, *row.also))


def verdict(rows: Sequence[DriftRow]) -> str:
    """Return the verdict: what has drifted, with its layers, else what could not be read, else that all is well."""
    apart = [row for row in rows if drifted(row)]
    closed = [row for row in rows if row.status is DriftStatus.UNREADABLE]
    keys, all_keys = _keys(apart), _keys(rows)
    if keys:
        alike = [row for row in rows if _is_setting(row)] if all(_is_setting(row) for row in apart) else rows
        named = "; ".join(_told(row) for row in apart[:_MOST_NAMED])
        more = f"; and {len(apart) - _MOST_NAMED} more rows" if len(apart) > _MOST_NAMED else ""
        has = "has" if len(keys) == 1 else "have"
        unread = f". {_unread(closed)}" if closed else ""
        return f"{len(keys)} of {_count(_keys(alike), alike)} {has} drifted: {named}{more}{unread}"
    if closed:
        return f"nothing is known to have drifted, but {_unread(closed)}"
    if not rows:
        return "there is nothing to compare: no part of the service names a setting"
    nodes = len({row.node for row in rows})
    kept = len(_keys([row for row in rows if row.earned is not None]))
    earned = f"; {kept} of them earned" if kept else "; none of them was earned by an experiment"
    return f"nothing has drifted: {_count(all_keys, rows)} on {nodes} node{'s' if nodes > 1 else ''}{earned}"


def _keys(rows: Sequence[DriftRow]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((row.aspect, row.key) for row in rows))


def _count(keys: Sequence[tuple[str, str]], rows: Sequence[DriftRow]) -> str:
    noun = "setting" if all(map(_is_setting, rows)) else "thing"
    return f"{len(keys)} {noun}{'s' if len(keys) != 1 else ''}"


def _is_setting(row: DriftRow) -> bool:
    return row.aspect == _SETTINGS


def _told(row: DriftRow) -> str:
    layers = (("earned", row.earned), ("file", row.file), ("live", row.live))
    said = ", ".join(f"{name} {layer_text(one)}" for name, one in layers if one is not None)
    return one_line(f"{row.key.removeprefix('env.')} on {row.node}: {said or row.why}")


def _unread(closed: Sequence[DriftRow]) -> str:
    whys = dict.fromkeys(f"{row.node}: {_why(row).removeprefix(f'{row.node}: ')}" for row in closed)
    return one_line(f"{len(closed)} could not be read ({'; '.join(list(whys)[:_MOST_NAMED])})")


def _why(row: DriftRow) -> str:
    return next((one.why for one in (row.live, row.file) if one is not None and one.why), row.why)


def layer_text(one: DriftCell | None) -> str:
    """Return a layer as a table shows it."""
    if one is None:
        return "-"
    if one.state is State.UNREADABLE:
        return "?"
    return one_line(one.text) or ("not set" if one.state is State.ABSENT else "empty")

"""A row of the table, built from its layers. Pure.

A layer is a cell, or None where there is none of that kind. An aspect gives what it saw, and what the same thing is on
the other nodes; status, ``also`` and the reason follow from these.
"""

__all__ = ["absent_cell", "cell", "closed_cell", "row_of"]

from collections.abc import Mapping

from sparktune.drift.compare import shown
from sparktune.drift.status import Judged, Layers, judge
from sparktune.model.drift import DriftCell, DriftRow, DriftStatus
from sparktune.model.observed import State
from sparktune.model.setting import Value


def cell(value: Value, place: str = "", *, text: str = "", why: str = "", key: str = "") -> DriftCell:
    """Return a layer that says something; ``text`` is how it is shown, else what the value is."""
    return DriftCell(state=State.PRESENT, value=value, text=text or shown(key, value), place=place, why=why)


def absent_cell(text: str = "", place: str = "", why: str = "") -> DriftCell:
    """Return a layer that says nothing of it; ``text`` is how that is shown."""
    return DriftCell(state=State.ABSENT, text=text, place=place, why=why)


def closed_cell(why: str, place: str = "") -> DriftCell:
    """Return a layer that could not be read."""
    return DriftCell(state=State.UNREADABLE, place=place, why=why)


def row_of(
    key: str,
    node: str,
    aspect: str,
    layers: Layers,
    others: Mapping[str, DriftCell | None] | None = None,
    *,
    part: str = "",
    why: str = "",
    hint: str = "",
    survives: bool | None = None,
) -> DriftRow:
    """Return a row; ``others`` are the live cells of the same thing on other nodes, by what people call them.

    ``why`` is said before what the layers show by themselves.
    """
    judged = judge(key, node, layers, others or {})
    return DriftRow(
        key=key,
        node=node,
        aspect=aspect,
        part=part,
        status=judged.status,
        also=judged.also,
        earned=layers.earned,
        file=layers.file,
        echoed=layers.echoed,
        live=layers.live,
        why="; ".join(text for text in dict.fromkeys((why, judged.why)) if text),
        hint=hint or _hint(judged, key, node),
        survives=survives,
    )


def _hint(judged: Judged, key: str, node: str) -> str:
    """Return the next step. Where the file is not what was earned, a start from it would lose what was earned."""
    status = judged.status
    if status is DriftStatus.NOT_LIVE and DriftStatus.FILE_DRIFT in judged.also:
        status = DriftStatus.FILE_DRIFT
    return _HINTS.get(status, "").format(key=key.removeprefix("env."), node=node)


_HINTS: Mapping[DriftStatus, str] = {
    DriftStatus.UNREADABLE: "start it if it does not run; else run this again on {node}, or as a user who may read it",
    DriftStatus.NOT_LIVE: "start the service anew from its files, or put the file back to what runs",
    DriftStatus.FILE_DRIFT: "sparktune drift restore {key}",
    DriftStatus.NODES_DIFFER: "make the nodes agree, and start all of them anew together",
}

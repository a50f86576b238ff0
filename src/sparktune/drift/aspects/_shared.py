"""What aspects have in common: cells, the status that layers come to, and values that are compared between nodes."""

__all__ = [
    "absent_cell",
    "cell",
    "closed_cell",
    "differing",
    "judged",
    "live_text",
    "stamp",
]

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime

from sparktune.model.drift import DriftCell, DriftRow, DriftStatus, PartSeen
from sparktune.model.observed import State
from sparktune.model.setting import Value
from sparktune.units import Nanoseconds

_NS_PER_S = 1_000_000_000
_MOST_NAMED = 6
_TWO = 2


def cell(value: Value, place: str = "", *, text: str = "", why: str = "") -> DriftCell:
    """Return a layer that says something."""
    return DriftCell(state=State.PRESENT, value=value, text=text or str(value), place=place, why=why)


def absent_cell(text: str = "", place: str = "", why: str = "") -> DriftCell:
    """Return a layer that says nothing of it; ``text`` is how that is shown."""
    return DriftCell(state=State.ABSENT, text=text, place=place, why=why)


def closed_cell(why: str, place: str = "") -> DriftCell:
    """Return a layer that could not be read."""
    return DriftCell(state=State.UNREADABLE, place=place, why=why)


def judged(
    key: str,
    node: str,
    aspect: str,
    *,
    part: str = "",
    earned: DriftCell | None = None,
    file: DriftCell | None = None,
    live: DriftCell | None = None,
    differ: bool = False,
    why: str = "",
    hint: str = "",
    survives: bool | None = None,
) -> DriftRow:
    """Return a row with the status that its layers come to, in the order of ``DriftStatus``.

    ``differ``: nodes that must agree do not.
    """
    found = _statuses(earned, file, live, differ=differ)
    closed = next((one.why for one in (live, file) if one is not None and one.state is State.UNREADABLE), "")
    return DriftRow(
        key=key,
        node=node,
        aspect=aspect,
        status=found[0],
        also=tuple(one for one in found[1:] if one.is_drift),
        part=part,
        earned=earned,
        file=file,
        live=live,
        why="; ".join(text for text in dict.fromkeys((closed, why)) if text),
        hint=hint,
        survives=survives,
    )


def _statuses(
    earned: DriftCell | None, file: DriftCell | None, live: DriftCell | None, *, differ: bool
) -> list[DriftStatus]:
    found = []
    if any(one is not None and one.state is State.UNREADABLE for one in (live, file)):
        found.append(DriftStatus.UNREADABLE)
    if _part(file, live):
        found.append(DriftStatus.NOT_LIVE)
    if _part(earned, file if file is not None else live):
        found.append(DriftStatus.FILE_DRIFT if file is not None else DriftStatus.NOT_LIVE)
    if differ:
        found.append(DriftStatus.NODES_DIFFER)
    found.append(DriftStatus.UNEARNED if earned is None else DriftStatus.OK)
    return found


def _part(one: DriftCell | None, other: DriftCell | None) -> bool:
    if one is None or other is None or State.UNREADABLE in {one.state, other.state}:
        return False
    return one.state is not other.state or one.value != other.value


def differing(values: Mapping[str, str]) -> str:
    """Return in words how nodes differ in something, "" when they agree or there is nothing to compare.

    A node is named alone where all others agree.
    """
    counts = Counter(values.values())
    if len(counts) < _TWO:
        return ""
    (usual, most), *rest = counts.most_common()
    odd = [node for node, value in values.items() if value != usual]
    if len(values) > _TWO and len(odd) == 1 and len(rest) == 1:
        return f"{odd[0]} alone has {values[odd[0]]}, the other {most} have {usual}"
    return ", ".join(f"{node} has {value}" for node, value in list(values.items())[:_MOST_NAMED])


def live_text(part: PartSeen, key: str) -> str:
    """Return a live setting as text, "" where there is none."""
    setting = part.live.get(key)
    return str(setting.value) if setting is not None and setting.value is not None else ""


def stamp(when_ns: Nanoseconds) -> str:
    """Return an instant of a node's wall clock in UTC."""
    return datetime.fromtimestamp(when_ns // _NS_PER_S, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")

"""What aspects have in common: rows of things that are no settings, and texts that are compared between nodes."""

__all__ = ["differing", "judged", "live_text", "silence", "stamp"]

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from sparktune.drift.rows import row_of
from sparktune.drift.status import Layers
from sparktune.model.drift import DriftCell, DriftRow, DriftStatus, PartSeen
from sparktune.units import Nanoseconds

_NS_PER_S = 1_000_000_000
_MOST_NAMED = 6
_TWO = 2


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
    """Return the row of something that is no setting: no command of drift restores it, so that hints are its own.

    ``differ``: nodes that must agree do not, which ``why`` says.
    """
    layers = Layers(earned=earned, file=file, live=live)
    row = row_of(key, node, aspect, layers, part=part, why=why, hint=hint, survives=survives)
    found = {row.status, *row.also} | ({DriftStatus.NODES_DIFFER} if differ else set())
    status, *also = [one for one in DriftStatus if one in found]
    also = [one for one in also if one.is_drift]
    own = hint if hint or status is DriftStatus.FILE_DRIFT else row.hint
    return replace(row, status=status, also=tuple(also), hint=own)


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


def silence(part: PartSeen, argv: tuple[str, ...]) -> str:
    """Return why a command of systemd tells nothing of a part, "" when it does.

    A node that did not answer was not asked: whether it has such a program is then not known.
    """
    said = part.readings.command(*argv)
    if said.value is not None:
        return " ".join(said.value.stderr.split()) or f"exit code {said.value.code}" if said.value.code else ""
    if argv not in part.readings.commands:
        return part.unread.get("live") or part.unread.get("file") or "the node was not asked"
    return said.why or f"there is no {argv[0]}"


def stamp(when_ns: Nanoseconds) -> str:
    """Return an instant of a node's wall clock in UTC."""
    return datetime.fromtimestamp(when_ns // _NS_PER_S, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")

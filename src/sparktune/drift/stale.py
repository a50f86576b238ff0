"""Whether evidence still speaks of what runs.

An experiment speaks of the image, model and workload that it was made with. A new image may turn its answer round, so
evidence of another one is stale: the value stays what was earned until somebody measures again, and nothing else puts
a new one in its place.
"""

__all__ = [
    "Freshness",
    "Judged",
    "Running",
    "freshness",
    "image_of",
    "judged",
    "runs_images",
    "stale_reasons",
    "unknown_reasons",
]

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Final

from sparktune.drift.renewal import renewal_command
from sparktune.model.drift import PartSeen
from sparktune.model.earned import EarnedEntry

_IN_IMAGES: Final = frozenset({"compose", "sparkrun"})
"""Launchers that run images; what others run has no digest."""

_SHORT: Final = 19  # "sha256:" and 12 letters, as docker shows an image


class Freshness(Enum):
    """CURRENT: what can be compared is as it was. STALE: something is not. UNKNOWN: not all of it can be compared."""

    CURRENT = "current"
    STALE = "stale"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """What runs now; None is "not known". ``image_digest`` is that of the running container, whatever its tag says.

    ``today`` is a day (YYYY-MM-DD), and evidence older than ``max_age_days`` is stale, None for no such limit.
    """

    image_digest: str | None = None
    model: str | None = None
    revision: str | None = None
    launcher: str | None = None
    today: str = ""
    max_age_days: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """An entry with what is known of its evidence today; ``renew`` is the command that would measure it again."""

    entry: EarnedEntry
    freshness: Freshness
    stale: tuple[str, ...]
    unknown: tuple[str, ...]
    renew: str


def judged(entry: EarnedEntry, running: Running, typed: Sequence[str] = (), folder: str = "") -> Judged:
    """Return what is to be said of an entry; ``typed`` and ``folder`` as in ``renewal_command``."""
    return Judged(
        entry=entry,
        freshness=freshness(entry, running),
        stale=stale_reasons(entry, running),
        unknown=unknown_reasons(entry, running),
        renew=renewal_command(entry, typed, folder),
    )


def runs_images(launcher: str) -> bool:
    """Tell whether what a launcher starts has an image, whose digest evidence speaks of."""
    return launcher in _IN_IMAGES


def image_of(parts: Sequence[PartSeen]) -> str | None:
    """Return the image that all parts of a service run, None when one is not known, or when they differ."""
    found = {part.image for part in parts}
    return next(iter(found)) or None if len(found) == 1 else None


def freshness(entry: EarnedEntry, running: Running) -> Freshness:
    """Return whether the evidence of an entry is that of what runs; what is stale is so whatever else is unknown."""
    if stale_reasons(entry, running):
        return Freshness.STALE
    return Freshness.UNKNOWN if unknown_reasons(entry, running) else Freshness.CURRENT


def stale_reasons(entry: EarnedEntry, running: Running) -> tuple[str, ...]:
    """Return what has changed since an entry was earned, a sentence each; what is not known is no change."""
    changed = (
        _changed("the image", entry.scope.image_digest, running.image_digest),
        _changed("the model", entry.scope.model, running.model),
        _changed("the model's revision", entry.scope.revision, running.revision),
        _changed("the launcher", entry.scope.launcher, running.launcher),
        _aged(entry, running),
    )
    return tuple(reason for reason in changed if reason)


def unknown_reasons(entry: EarnedEntry, running: Running) -> tuple[str, ...]:
    """Return what cannot be compared, and why."""
    return tuple(_unknown(entry, running))


def _changed(what: str, then: str | None, now: str | None) -> str:
    if then is None or now is None or then == now:
        return ""
    return f"{what} was {_short(then)} then, and is {_short(now)} now"


def _aged(entry: EarnedEntry, running: Running) -> str:
    days = _days(entry.evidence.date, running.today)
    if days is None or running.max_age_days is None or days <= running.max_age_days:
        return ""
    return f"it is {days} days old, more than {running.max_age_days:g}"


def _unknown(entry: EarnedEntry, running: Running) -> Iterator[str]:
    scope, evidence = entry.scope, entry.evidence
    if evidence.practice:
        yield f"its evidence is for practice: {evidence.practice}"
    elif not evidence.run and evidence.ratio is None:
        yield "it has no evidence: nobody measured it"
    if (scope.launcher or running.launcher) in _IN_IMAGES:
        yield from _untold("image", scope.image_digest, running.image_digest)
    yield from _untold("model", scope.model, running.model)
    if scope.revision is not None and running.revision is None:
        yield "which revision of the model runs is not known"
    if scope.workload is None:
        yield "which workload it was measured with is not said"
    if running.max_age_days is not None and _days(evidence.date, running.today) is None:
        yield "when it was measured is not said"


def _untold(what: str, then: str | None, now: str | None) -> Iterator[str]:
    if then is None:
        yield f"which {what} it was measured with is not said"
    elif now is None:
        yield f"which {what} runs is not known"


def _days(then: str, now: str) -> int | None:
    try:
        return (date.fromisoformat(now) - date.fromisoformat(then)).days
    except ValueError:
        return None


def _short(text: str) -> str:
    return text[:_SHORT] if text.startswith("sha256:") else text

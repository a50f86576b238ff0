"""A setting that an experiment earned: what, instead of what, for whom it holds, and the evidence."""

__all__ = ["EarnedEnd", "EarnedEntry", "EarnedEvidence", "EarnedScope"]

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sparktune.units import Ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class EarnedScope:
    """For whom it holds; None is "not said". ``cluster`` and ``service`` as people call them.

    ``image_digest`` is the image that was running, ``revision`` the commit of the model, ``workload`` a hash of what
    was sent.
    """

    cluster: str | None = None
    service: str | None = None
    image_digest: str | None = None
    launcher: str | None = None
    model: str | None = None
    revision: str | None = None
    workload: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EarnedEvidence:
    """What the experiment ``run`` found on ``date`` (YYYY-MM-DD, UTC); None and "" are "not said".

    ``ratio`` is how much better the value is than the other, whichever direction of ``metric`` is ``better``; ``low``
    and ``high`` hold it with the ``confidence``. ``guards`` are the metrics that must not get worse, each with what was
    shown of it. ``practice`` is what made it up, where it is no evidence of anything: that of a practice cluster.
    """

    run: str = ""
    date: str = ""
    metric: str = ""
    better: str = ""
    ratio: Ratio | None = None
    low: Ratio | None = None
    high: Ratio | None = None
    confidence: Ratio | None = None
    blocks: int | None = None
    blocks_won: int | None = None
    guards: Mapping[str, str] = field(default_factory=dict)
    practice: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarnedEnd:
    """Why an entry counts no more, since ``date`` (YYYY-MM-DD, UTC): superseded ``by`` a run, or forgotten."""

    how: Literal["superseded", "forgotten"]
    date: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarnedEntry:
    """One entry of ``earned.yaml``.

    ``value`` and ``instead_of`` are arms of an experiment in its launcher's words. ``content`` is the whole entry as
    the file has it, with what only a newer version or a person knows of: what is written again is made of it. ``file``
    and ``line`` are where it stands. ``ended`` None: it counts.
    """

    knob: str
    value: Any
    instead_of: Any = None
    scope: EarnedScope = field(default_factory=EarnedScope)
    evidence: EarnedEvidence = field(default_factory=EarnedEvidence)
    content: Mapping[str, Any] = field(default_factory=dict)
    file: str = ""
    line: int = 0
    ended: EarnedEnd | None = None

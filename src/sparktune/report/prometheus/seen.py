"""What one round of asking came to: the input of every series. What is not known is None, never empty."""

__all__ = ["PartAsked", "Seen", "Unknown"]

from collections.abc import Mapping
from dataclasses import dataclass, field

from sparktune.drift.stale import Judged
from sparktune.model.drift import DriftRow
from sparktune.model.experiment_row import ExperimentRow
from sparktune.model.finding import Finding
from sparktune.model.node import ClusterFacts
from sparktune.model.pin import RuleRow
from sparktune.model.place import Poller
from sparktune.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """Something that could not be known: ``what``, of which ``node`` ("" for no one node), and ``why``."""

    what: str
    why: str
    node: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartAsked:
    """One part of a round: when it ended (wall clock), how long it took, and why it came to nothing ("" when not)."""

    id: str
    ended_wall_s: Seconds
    took_s: Seconds
    failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Each field is None while nobody has asked, or when asking failed.

    ``drift`` has the rows of each service by its name; ``pins`` and ``pollers`` what each node that answered told.
    ``parts`` are those of the last round, ``missing`` what could not be known besides, ``notes`` what is no value.
    """

    version: str
    cluster: ClusterFacts | None = None
    findings: tuple[Finding, ...] | None = None
    drift: Mapping[str, tuple[DriftRow, ...]] | None = None
    pins: Mapping[str, tuple[RuleRow, ...]] | None = None
    pollers: Mapping[str, tuple[Poller, ...]] | None = None
    earned: tuple[Judged, ...] | None = None
    experiments: tuple[ExperimentRow, ...] | None = None
    parts: tuple[PartAsked, ...] = ()
    missing: tuple[Unknown, ...] = field(default=())
    notes: tuple[str, ...] = ()

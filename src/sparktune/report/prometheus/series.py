"""A series: its name and unit, what it says, where its values come from, what it warns of and how it is drawn.

Names follow https://prometheus.io/docs/practices/naming/: base units as a suffix, ``_total`` for counters alone,
``_info`` for facts whose value is in the labels.
"""

__all__ = ["Alert", "Group", "Kind", "Panel", "Point", "Series", "Shape"]

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from sparktune.report.prometheus.seen import Seen, Unknown


class Kind(Enum):
    """GAUGE may go up and down; COUNTER only goes up, until its node starts anew."""

    GAUGE = "gauge"
    COUNTER = "counter"


class Shape(Enum):
    """How a panel is drawn: one number each, lines over time, or rows."""

    STAT = "stat"
    LINES = "timeseries"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Point:
    """One value with the values of its series' labels, in their order."""

    value: float
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One rule. ``severity`` is critical, warning or info; ``holds`` how long ``expr`` must be so (``5m``).

    ``summary`` is the sentence of a notification, ``runbook`` the next step with its command. Both may use
    ``{{ $labels.NAME }}`` and ``{{ $value }}``.
    """

    name: str
    expr: str
    holds: str
    severity: str
    summary: str
    runbook: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One picture. ``unit`` is Grafana's word for it, ``width`` of 24 columns, ``legend`` names a line.

    ``steps`` are colours from a value on, the first one from below; ``words`` what is written instead of a value.
    """

    title: str
    expr: str
    shape: Shape
    unit: str = "short"
    legend: str = ""
    width: int = 12
    steps: tuple[tuple[float, str], ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """``read`` yields the points that are known, and nothing for what is not. It is pure and raises nothing."""

    name: str
    help: str
    read: Callable[[Seen], Iterable[Point]]
    labels: tuple[str, ...] = ()
    kind: Kind = Kind.GAUGE
    alerts: tuple[Alert, ...] = ()
    panel: Panel | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Series of one subject; the constant ``GROUP`` of one file in ``report/prometheus/groups``.

    ``order`` is its place on the dashboard and the page.
    ``unknown`` says what of it could not be known.
    """

    title: str
    order: int
    series: tuple[Series, ...]
    unknown: Callable[[Seen], Iterable[Unknown]] = lambda _: ()

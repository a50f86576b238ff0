"""All points of one look, by series: each set of labels once, its texts fit to be kept."""

__all__ = ["points_of", "unknowns_of"]

from sparktune.redact import redact_text
from sparktune.report.bench.words import one_line
from sparktune.report.prometheus.groups import all_groups
from sparktune.report.prometheus.groups.exporter import UNKNOWN
from sparktune.report.prometheus.seen import Seen, Unknown
from sparktune.report.prometheus.series import Point, Series

_LONGEST = 240
"""Letters of a label: each one that a server keeps costs it memory."""


def points_of(seen: Seen) -> tuple[tuple[Series, tuple[Point, ...]], ...]:
    """Return every series with its points, in the order of groups; a series that is not known has none."""
    return tuple((series, _points(series, seen)) for group in all_groups() for series in group.series)


def unknowns_of(seen: Seen) -> tuple[Unknown, ...]:
    """Return everything that could not be known, each once, secrets removed."""
    found = (one for group in all_groups() for one in group.unknown(seen))
    return tuple(dict.fromkeys(map(_clean, found)))


def _clean(one: Unknown) -> Unknown:
    """Return it fit to be labels; messages about a node begin with its name, which is a label already."""
    why = one.why.removeprefix(f"{one.node}: ") if one.node else one.why
    return Unknown(what=_label(one.what), node=_label(one.node), why=_label(why))


def _points(series: Series, seen: Seen) -> tuple[Point, ...]:
    if series is UNKNOWN:
        return tuple(Point(1.0, (one.what, one.node, one.why)) for one in unknowns_of(seen))
    points = (Point(point.value, tuple(map(_label, point.labels))) for point in series.read(seen))
    return tuple({point.labels: point for point in points}.values())


def _label(text: str) -> str:
    line = one_line(redact_text(text))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"

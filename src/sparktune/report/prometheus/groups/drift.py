"""Drift: rows of ``drift`` by status, and each row that parts from what was earned, from its file or between nodes."""

__all__ = ["GROUP"]

from collections import Counter
from collections.abc import Iterator

from sparktune.model.drift import DriftStatus
from sparktune.report.prometheus.seen import Seen, Unknown
from sparktune.report.prometheus.series import Alert, Group, Panel, Point, Series, Shape


def _counts(seen: Seen) -> Iterator[Point]:
    for service, rows in (seen.drift or {}).items():
        found = Counter((row.node, row.status) for row in rows)
        for node in dict.fromkeys(row.node for row in rows):
            for status in DriftStatus:
                yield Point(float(found[node, status]), (service, node, _word(status)))


def _parted(seen: Seen) -> Iterator[Point]:
    for service, rows in (seen.drift or {}).items():
        for row in rows:
            for status in (row.status, *row.also):
                if status.is_drift:
                    yield Point(1.0, (service, row.node, row.part, row.key, _word(status)))


def _word(status: DriftStatus) -> str:
    return status.name.lower()


def _unknown(seen: Seen) -> Iterator[Unknown]:
    for service, rows in (seen.drift or {}).items():
        for row in rows:
            if row.status is DriftStatus.UNREADABLE:
                what = f"drift of {row.key} in {service or 'the service'}"
                yield Unknown(what=what, node=row.node, why=row.why or "it could not be read")


GROUP = Group(
    title="Drift",
    order=30,
    series=(
        Series(
            name="sparktune_drift_rows",
            help="Rows of drift by service, node and status; the first status that holds counts.",
            labels=("service", "node", "status"),
            read=_counts,
            panel=Panel(
                title="Rows that drifted, or could not be read",
                expr='sum by (service, status) (sparktune_drift_rows{status!~"ok|unearned"})',
                shape=Shape.LINES,
                legend="{{service}} {{status}}",
                width=8,
            ),
        ),
        Series(
            name="sparktune_drift_row",
            help="1 for each setting, or other thing, that parts from its file, from what was earned or between nodes.",
            labels=("service", "node", "part", "key", "status"),
            read=_parted,
            alerts=(
                Alert(
                    name="SparktuneDrift",
                    expr="sparktune_drift_row == 1",
                    holds="15m",
                    severity="warning",
                    summary="{{ $labels.key }} of {{ $labels.service }} on {{ $labels.node }}: {{ $labels.status }}",
                    runbook="What parts from what, and the next step: sparktune drift"
                    "{{ with $labels.service }} --service {{ . }}{{ end }}",
                ),
            ),
            panel=Panel(title="Drift", expr="sparktune_drift_row", shape=Shape.TABLE, width=16),
        ),
    ),
    unknown=_unknown,
)

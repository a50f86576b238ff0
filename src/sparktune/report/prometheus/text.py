"""The text that Prometheus scrapes and node_exporter's textfile collector reads (format 0.0.4), and the same as JSON.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/; escaping is that of prometheus_client.
"""

__all__ = ["CONTENT_TYPE", "export_json", "export_text"]

import json
from collections.abc import Iterator
from typing import Final

from prometheus_client.core import CollectorRegistry, Metric
from prometheus_client.exposition import generate_latest

from sparktune.report.prometheus.seen import Seen
from sparktune.report.prometheus.series import Series
from sparktune.report.prometheus.values import points_of, unknowns_of

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_TOTAL: Final = "_total"


class _Found:
    """What was seen, as a collector of prometheus_client."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen

    def collect(self) -> Iterator[Metric]:
        for series, points in points_of(self._seen):
            # A counter's family is named without its suffix.
            metric = Metric(series.name.removesuffix(_TOTAL), series.help, series.kind.value)
            for point in points:
                metric.add_sample(series.name, dict(zip(series.labels, point.labels, strict=True)), point.value)
            if points:
                yield metric


def export_text(seen: Seen) -> str:
    """Render what is known; a series of which nothing is known is left out."""
    registry = CollectorRegistry()
    registry.register(_Found(seen))
    return generate_latest(registry).decode()


def export_json(seen: Seen) -> str:
    """Render the same as JSON, schema 1; what is not known is in ``unknown`` with its reason, never a value."""
    content = {
        "schema": 1,
        "series": [_series(series, dict(zip(series.labels, point.labels, strict=True)), point.value)
                   for series, points in points_of(seen) for point in points if series.name != "sparktune_unknown"],
        "unknown": [{"what": one.what, "node": one.node or None, "why": one.why} for one in unknowns_of(seen)],
    }  # fmt: skip
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _series(series: Series, labels: dict[str, str], value: float) -> dict[str, object]:
    return {"name": series.name, "kind": series.kind.value, "labels": labels, "value": value}

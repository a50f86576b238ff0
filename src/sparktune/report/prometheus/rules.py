"""Rules of alerts as Prometheus reads them, made of the list of series.

Source: https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/.
"""

__all__ = ["rules_yaml"]

import json
from collections.abc import Iterator

from sparktune.report.prometheus.groups import all_groups
from sparktune.report.prometheus.series import Group

_HEAD = """\
# Rules of alerts for what `sparktune export prometheus` tells. Generated: sparktune export alerts
# Severity is critical, warning or info; the annotation runbook is the next command.
groups:
"""


def rules_yaml() -> str:
    """Return the rules of all groups that have any."""
    lines = (line for group in all_groups() for line in _lines(group))
    return _HEAD + "".join(f"{line}\n" for line in lines)


def _lines(group: Group) -> Iterator[str]:
    alerts = [alert for series in group.series for alert in series.alerts]
    if not alerts:
        return
    yield f"  - name: {_text(f'sparktune: {group.title}')}"
    yield "    rules:"
    for alert in alerts:
        yield f"      - alert: {alert.name}"
        yield f"        expr: {_text(alert.expr)}"
        yield f"        for: {alert.holds}"
        yield f"        labels: {{severity: {alert.severity}}}"
        yield "        annotations:"
        yield f"          summary: {_text(alert.summary)}"
        yield f"          runbook: {_text(alert.runbook)}"


def _text(words: str) -> str:
    """Quote a text: what JSON writes, YAML reads."""
    return json.dumps(words, ensure_ascii=False)

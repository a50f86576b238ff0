"""Findings of ``doctor``: how many of each rule, severity and node. Facts that are missing make a rule silent."""

__all__ = ["GROUP"]

from collections import Counter
from collections.abc import Iterator

from sparktune.model.finding import Severity
from sparktune.report.prometheus.seen import Seen
from sparktune.report.prometheus.series import Alert, Group, Panel, Point, Series, Shape


def _each(seen: Seen) -> Iterator[Point]:
    found = Counter((one.rule, one.severity.value, one.node or "") for one in seen.findings or ())
    for labels, count in sorted(found.items()):
        yield Point(float(count), labels)


def _by_severity(seen: Seen) -> Iterator[Point]:
    if seen.findings is None:
        return
    found = Counter(one.severity for one in seen.findings)
    for severity in Severity:
        yield Point(float(found[severity]), (severity.value,))


GROUP = Group(
    title="Findings",
    order=20,
    series=(
        Series(
            name="sparktune_findings_open",
            help="Findings by severity, on all nodes that answered; 0 is known to be none.",
            labels=("severity",),
            read=_by_severity,
            panel=Panel(
                title="Findings by severity",
                expr="sparktune_findings_open",
                shape=Shape.STAT,
                legend="{{severity}}",
                width=8,
            ),
        ),
        Series(
            name="sparktune_findings",
            help="Findings by rule, severity and node; one about several nodes has no label node.",
            labels=("rule", "severity", "node"),
            read=_each,
            alerts=(
                Alert(
                    name="SparktuneFindingError",
                    expr='sparktune_findings{severity="error"} > 0',
                    holds="10m",
                    severity="critical",
                    summary="{{ $labels.rule }}{{ with $labels.node }} on {{ . }}{{ end }}: something is broken, or "
                    "falsifies numbers",
                    runbook="Evidence and fix: sparktune doctor{{ with $labels.node }} --nodes {{ . }}{{ end }}",
                ),
                Alert(
                    name="SparktuneFindingWarning",
                    expr='sparktune_findings{severity="warning"} > 0',
                    holds="1h",
                    severity="warning",
                    summary="{{ $labels.rule }}{{ with $labels.node }} on {{ . }}{{ end }}: may break something",
                    runbook="Evidence and fix: sparktune doctor{{ with $labels.node }} --nodes {{ . }}{{ end }}",
                ),
            ),
            panel=Panel(title="Findings", expr="sparktune_findings", shape=Shape.TABLE, width=16),
        ),
    ),
)

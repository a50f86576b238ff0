"""All that logs tell together: what failed first, what followed, and the judgements of all rules."""

__all__ = ["log_report"]

from sparktune.logs.first import earlier_starts, failures, first_error, long_before
from sparktune.logs.rules import all_rules
from sparktune.model.finding import Severity
from sparktune.model.log import LogReport, LogView


def log_report(view: LogView, trend: tuple[str, ...] = ()) -> LogReport:
    """Judge logs; ``trend`` is what else is known of earlier starts. Raises nothing."""
    first = first_error(view)
    later = tuple(one for one in failures(view) if first is None or one[1] is not first.event)
    order = list(Severity)
    found = [finding for rule in all_rules() for finding in rule.run(view)]
    return LogReport(
        view=view,
        first=first,
        later=later,
        findings=tuple(sorted(found, key=lambda one: (order.index(one.severity), one.rule, one.file or ""))),
        trend=(*long_before(view), *earlier_starts(view), *trend),
    )

"""Threads that were pinned, and the rules for those that come after them, beside the CPUs that they have now.

What was pinned is in the node's journal (``place pin``); ``DriftView.hosts`` has the answers of ``host verify``, which
looks at it. Where nothing was pinned nobody knows where a thread should be, and no row is made.
"""

__all__ = ["ASPECT"]

from dataclasses import replace
from typing import Final

from sparktune.drift.host_checks import applied_checks, check_row
from sparktune.model.drift import DriftAspect, DriftRow, DriftView
from sparktune.model.host_plan import CheckStatus, HostCheck

_ID: Final = "placement"
_CHANGE: Final = "place"
_HINT: Final = "sparktune place status says more"


def _rows(view: DriftView) -> tuple[DriftRow, ...]:
    return tuple(
        _row(check, host.node) for host in view.hosts for check in applied_checks(host) if check.change == _CHANGE
    )


def _row(check: HostCheck, node: str) -> DriftRow:
    row = check_row(check, node, _ID)
    return row if check.status is CheckStatus.OK else replace(row, hint=_HINT)


ASPECT = DriftAspect(
    id=_ID,
    title="threads that were pinned, and the rules for those that come after them",
    why="A runtime that sets its own CPUs, a cpuset that was narrowed, or a timer that was switched off puts a thread "
    "that polls back on a fast core.",
    source="sched_setaffinity(2); sparktune place status",
    rows=_rows,
)

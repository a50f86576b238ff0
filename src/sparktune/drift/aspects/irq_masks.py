"""Where interrupts go, beside where the profile put them: told only where a profile placed them, by its journal.

Where nothing was applied nobody knows where they should be, and no row is made. Source: ``host.irq_checks``, the checks
of ``host verify``.
"""

__all__ = ["ASPECT"]

from typing import Final

from sparktune.drift.host_checks import applied_checks, check_row
from sparktune.model.drift import DriftAspect, DriftRow, DriftView

_ID: Final = "irq-masks"
_CHANGE: Final = "irq-affinity"


def _rows(view: DriftView) -> tuple[DriftRow, ...]:
    return tuple(
        check_row(check, host.node, _ID)
        for host in view.hosts
        for check in applied_checks(host)
        if check.change == _CHANGE
    )


ASPECT = DriftAspect(
    id=_ID,
    title="the CPUs that interrupts of the fabric, the GPU and the disks go to",
    why="irqbalance, a driver that was loaded again or a cable that was pulled puts them elsewhere, among the cores "
    "that serve tokens.",
    source="Linux Documentation/core-api/irq/irq-affinity.rst; irqbalance(1)",
    rows=_rows,
)

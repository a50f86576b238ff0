"""Checks of ``host verify`` as rows of drift: what a profile wants is the file's layer, what is effective is live."""

__all__ = ["applied_checks", "check_row"]

from typing import Final

from sparktune.drift.rows import absent_cell, cell, closed_cell, row_of
from sparktune.drift.status import Layers
from sparktune.model.drift import DriftRow
from sparktune.model.host_plan import CheckStatus, HostCheck
from sparktune.model.node_report import NodeReport, NodeState

_HINT: Final = "sparktune host verify says more; sparktune host apply sets it again"
_REBOOT: Final = "it takes effect at the next boot"
_HOLDS: Final = frozenset({NodeState.APPLIED, NodeState.UNCONFIRMED, NodeState.INCOMPLETE})


def applied_checks(host: NodeReport) -> tuple[HostCheck, ...]:
    """Return what was looked at on a node where a profile is applied; () where none is."""
    return (host.checks or ()) if host.state in _HOLDS else ()


def check_row(check: HostCheck, node: str, aspect: str, *, part: str = "") -> DriftRow:
    """Return the row of a check. Its wanted and effective texts are for people: its status says whether they part."""
    file = cell(check.wanted, f"profile: {check.change}")
    right = check.status is CheckStatus.OK
    live = cell(check.wanted if right else f"not {check.wanted}", text=check.effective or "not so")
    if check.status is CheckStatus.UNREADABLE:
        live = closed_cell(check.why or "it could not be read")
    elif check.status is CheckStatus.ABSENT:
        live = absent_cell(check.effective or "not there")
    waits = check.status is CheckStatus.PENDING_REBOOT
    layers = Layers(file=file, live=live, earned=file if right else None)
    return row_of(
        f"{check.change}: {check.target}",
        node,
        aspect,
        layers,
        part=part,
        why="; ".join(text for text in (_REBOOT if waits else "", check.why) if text),
        hint="" if right else ("reboot the node, or see sparktune host status" if waits else _HINT),
        # What a file or the profile's own unit sets again at boot comes back; what is not so does not become so.
        survives=True if right or waits else None,
    )

"""One file per group of series; each exports ``GROUP``. The dashboard, the rules and the page are made of these."""

__all__ = ["all_groups"]

import sys

from sparktune.plugins import load_plugins
from sparktune.report.prometheus.series import Group


def all_groups() -> tuple[Group, ...]:
    """Return every group, in the order of the dashboard."""
    return tuple(sorted(load_plugins(sys.modules[__name__], "GROUP", Group), key=lambda one: one.order))

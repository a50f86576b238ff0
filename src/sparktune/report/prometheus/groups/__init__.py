"""One file per group of series; each exports ``GROUP``. The dashboard, the rules and the page are made of these."""

__all__ = ["all_groups", "all_series"]

import sys

from sparktune.plugins import load_plugins
from sparktune.report.prometheus.series import Group, Series


def all_groups() -> tuple[Group, ...]:
    """Return every group, in the order of the dashboard."""
    return tuple(sorted(load_plugins(sys.modules[__name__], "GROUP", Group), key=lambda one: one.order))


def all_series() -> tuple[Series, ...]:
    """Return every series, in the order of the dashboard."""
    return tuple(series for group in all_groups() for series in group.series)

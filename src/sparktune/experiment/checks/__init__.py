"""One file per validity rule of tables; each exports ``TABLE_CHECK``."""

__all__ = ["ONE_ARM", "all_table_checks"]

import sys
from functools import cache

from sparktune.experiment.checks._shared import ONE_ARM
from sparktune.model.table_check import TableCheck
from sparktune.plugins import load_plugins


@cache
def all_table_checks() -> tuple[TableCheck, ...]:
    """Return every rule, by id."""
    return tuple(sorted(load_plugins(sys.modules[__name__], "TABLE_CHECK", TableCheck), key=lambda check: check.id))

"""V18: a setting was not the same at the end as at the beginning.

Looks at: settings that were read back at the end (``NAME@end``), beside those of the beginning; in our own
    experiments also which model and engine answered in every visit.
Warns when: never.
Invalid when: one differs: what was measured was neither of the two.
Unknown when: nothing was read back at the end.
Source: a service that restarts, a reload or another person can put a setting back in the middle of a run.
"""

__all__ = ["TABLE_CHECK"]

from collections.abc import Sequence

from sparktune.experiment.checks._shared import Finding, listed, make_table_check, unknown
from sparktune.model.check import Status
from sparktune.model.table import Table
from sparktune.model.table_check import TableContext
from sparktune.units import count_of

_END = "@end"
_HINT = "measure again, and find who changed it"


def _judge(table: Table, _: TableContext) -> Sequence[Finding]:
    pairs = [(arm, name, *values) for arm in table.measured_arms for name, values in _read_twice(table, arm).items()]
    if not pairs:
        return [unknown("it needs settings read back at the end, in a line # arm NAME at end: KEY=VALUE", _HINT)]
    changed = [
        f"{name} of {arm or 'the run'} was {start}, then {end}" for arm, name, start, end in pairs if start != end
    ]
    if changed:
        return [Finding(status=Status.INVALID, evidence=listed(changed), hint=_HINT)]
    return [Finding(status=Status.OK, evidence=f"{count_of(len(pairs), 'setting')} read back unchanged")]


def _read_twice(table: Table, arm: str) -> dict[str, tuple[str, str]]:
    settings = table.settings.get(arm, {})
    ends = {name.removesuffix(_END): value for name, value in settings.items() if name.endswith(_END)}
    return {name: (settings[name], end) for name, end in ends.items() if name in settings}


TABLE_CHECK = make_table_check("V18", "settings kept to the end", _judge, source="read back at both ends")

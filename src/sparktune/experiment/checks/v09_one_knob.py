"""V09: more differs between the arms than the setting in question.

Looks at: the settings of both arms, and the one that was meant to differ; in our own experiments also which model and
    engine answered.
Warns when: the arms of an experiment were served by two versions of an engine.
Invalid when: settings differ beside the one that was meant to, or, where that one is not among them, more than one;
    or the one that was meant to differ is told, and the same; or the arms of an experiment were served by two models,
    which neither the knob nor the arms name.
Unknown when: the settings of an arm are not told; or nothing that is told differs, though something was meant to.
Source: of several changes at once, none can be given the effect.
"""

__all__ = ["TABLE_CHECK"]

from collections.abc import Sequence

from sparktune.experiment.checks._shared import ONE_ARM, Finding, listed, make_table_check, other_arms, unknown
from sparktune.model.check import Status
from sparktune.model.table import Table
from sparktune.model.table_check import TableContext

_HINT = "change one setting at a time, and measure each against the same other arm"


def _judge(table: Table, _: TableContext) -> Sequence[Finding]:
    pairs = other_arms(table)
    return [_between(table, *pair) for pair in pairs] or [Finding(status=Status.OK, evidence=ONE_ARM)]


def _between(table: Table, first: str, second: str) -> Finding:
    settings = [_at_start(table, arm) for arm in (first, second)]
    if not settings[0] or not settings[1]:
        which = first if not settings[0] else second
        return unknown(f"the settings of arm {which} are not told: a line # arm {which}: KEY=VALUE would", _HINT)
    one, other = settings
    differing = [key for key in {**one, **other} if one.get(key) != other.get(key)]
    words = listed([f"{key} {one.get(key, 'not told')} and {other.get(key, 'not told')}" for key in differing], 6)
    if table.knob in one and table.knob in other and table.knob not in differing:
        evidence = f"{table.knob} is {one[table.knob]} in {first} and in {second}, though it was meant to differ"
        return Finding(status=Status.INVALID, evidence=evidence, hint=_HINT)
    if table.knob and not differing:
        return unknown(f"nothing that is told differs: the settings lack {table.knob}", _HINT)
    if len(differing) > 1:
        evidence = f"{len(differing)} settings differ between {first} and {second}, not one: {words}"
        return Finding(status=Status.INVALID, evidence=evidence, hint=_HINT, label="confounded", weight=len(differing))
    told = f"of what is told, {words} differs" if differing else "of what is told, nothing differs"
    return Finding(status=Status.OK, evidence=f"{first} and {second}: {told}")


def _at_start(table: Table, arm: str) -> dict[str, str]:
    return {key: value for key, value in table.settings.get(arm, {}).items() if not key.endswith("@end")}


TABLE_CHECK = make_table_check("V09", "one setting differs", _judge, source="one change at a time")

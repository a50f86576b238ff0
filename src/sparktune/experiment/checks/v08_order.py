"""V08: one arm was measured after the other, so that the setting and the hour are the same thing.

Looks at: the order of visits, or blocks that hold both arms.
Warns when: all visits of one arm came before those of the other (AAABBB), or no block holds every arm: observational.
Invalid when: never: the difference is there, but what made it is not known.
Unknown when: nobody says in which order the arms were measured, or some blocks are of one arm alone.
Source: heat, caches, other load and the luck of one start change from hour to hour. In simulations without any effect,
    arms measured one after the other differ in 15 to 43 % of experiments.
"""

__all__ = ["TABLE_CHECK"]

from collections.abc import Sequence
from itertools import pairwise

from sparktune.experiment.checks._shared import ONE_ARM, Finding, listed, make_table_check, unknown
from sparktune.model.check import Status
from sparktune.model.table import Table
from sparktune.model.table_check import TableContext
from sparktune.units import count_of

_HINT = "measure in blocks of both arms, ABBA: sparktune ab does"


def _judge(table: Table, _: TableContext) -> Sequence[Finding]:
    arms = table.measured_arms
    if len(arms) < 2:  # noqa: PLR2004 - two arms can be confounded
        return [Finding(status=Status.OK, evidence=ONE_ARM)]
    if table.order is not None:
        unnamed = [arm for arm in arms if arm not in table.order]
        if unnamed:
            return [
                unknown(f"the order that is told does not name {listed(unnamed)}: it needs {_order_line(arms)}", _HINT)
            ]
        return [_ordered([arm for arm in table.order if arm in arms], len(arms))]
    blocks: dict[int, set[str]] = {}
    for row in table.rows:
        if row.block is not None:
            blocks.setdefault(row.block, set()).add(row.arm)
    if blocks and all(row.block is not None for row in table.rows):
        return [_blocked(sum(len(found) == len(arms) for found in blocks.values()), len(blocks))]
    needed = f"it needs blocks, or {_order_line(arms)}"
    return [unknown(f"nobody says in which order the arms were measured: {needed}", _HINT)]


def _blocked(whole: int, blocks: int) -> Finding:
    if not whole:
        evidence = f"none of {count_of(blocks, 'block')} holds every arm: the setting and the hour cannot be told apart"
        return Finding(status=Status.WARN, evidence=evidence, hint=_HINT, label="observational")
    if whole < blocks:
        return unknown(f"{whole} of {count_of(blocks, 'block')} hold every arm, the others do not", _HINT)
    return Finding(status=Status.OK, evidence=f"{count_of(whole, 'block')} with every arm")


def _order_line(arms: Sequence[str]) -> str:
    """Return the line that would tell, with the names that the rows have."""
    return f"a line # order: {' '.join((*arms, *reversed(arms)))} (as it was)"


def _ordered(order: Sequence[str], arms: int) -> Finding:
    changes = sum(one != other for one, other in pairwise(order))
    words = listed([f"{place}. {arm}" for place, arm in enumerate(order, 1)], 8)
    if changes < arms:
        evidence = f"one arm after the other ({words}): the setting and the hour cannot be told apart"
        return Finding(status=Status.WARN, evidence=evidence, hint=_HINT, label="observational")
    return Finding(status=Status.OK, evidence=f"the arms take turns ({words})")


TABLE_CHECK = make_table_check("V08", "arms in turn", _judge, source="blocked designs; simulations, see make sim")

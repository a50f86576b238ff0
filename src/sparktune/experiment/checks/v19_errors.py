"""V19: requests failed, and are not in the numbers.

Looks at: failed requests of each arm; where rows are prompts, which.
Warns when: requests failed, the same in every arm; or at most one in a thousand of those that each arm sent, which bend
    no median.
Invalid when: more failed, not the same in every arm: what is compared are the survivors.
Unknown when: the table does not tell whether requests failed.
Source: a request that fails is fast; leaving it out makes the rest look better, or worse.
"""

__all__ = ["TABLE_CHECK"]

from collections.abc import Sequence

from sparktune.experiment.checks._shared import Finding, listed, make_table_check, unknown
from sparktune.model.check import Status
from sparktune.model.table import Table
from sparktune.model.table_check import TableContext
from sparktune.units import Ratio

_FEW: Ratio = 0.001
_HINT = "find out why they failed: see the server's log; compare only what both arms answered"


def _judge(table: Table, _: TableContext) -> Sequence[Finding]:
    arms = table.measured_arms
    if not any("failed_requests" in row.values for row in table.rows):
        return [unknown("it needs the number of requests that failed (failed_requests)")]
    failed = {arm: _failed(table, arm) for arm in arms}
    sent = {arm: sum(row.values.get("requests", 0) for row in table.rows if row.arm == arm) for arm in arms}
    if not any(failed.values()):
        number = sum(sent.values())
        return [Finding(status=Status.OK, evidence=f"none of {number:g} requests failed" if number else "none failed")]
    words = listed([f"{sum(failed[arm].values()):g}{_of(sent[arm])}{f' in {arm}' if arm else ''}" for arm in arms])
    few = all(sum(failed[arm].values()) <= _FEW * sent[arm] for arm in arms)
    if not few and len({frozenset(found.items()) for found in failed.values()}) > 1:
        evidence = f"requests failed, not the same in every arm: {words}"
        return [Finding(status=Status.INVALID, evidence=evidence, hint=_HINT)]
    why = next((row.note for row in table.rows if row.note and row.values.get("failed_requests")), "")
    evidence = f"requests failed and are not in the numbers: {words}" + (f" ({why})" if why else "")
    return [Finding(status=Status.WARN, evidence=evidence, hint=_HINT)]


def _of(sent: float) -> str:
    """Say how many were sent; a table that does not tell has no 0 of them."""
    return f" of {sent:g}" if sent else ""


def _failed(table: Table, arm: str) -> dict[str, float]:
    """Return how many failed, by prompt where rows are prompts."""
    found: dict[str, float] = {}
    for row in table.rows:
        count = row.values.get("failed_requests", 0)
        if row.arm == arm and count:
            found[row.prompt_id] = found.get(row.prompt_id, 0) + count
    return found


TABLE_CHECK = make_table_check("V19", "every request answered", _judge, source="failed requests are not slow ones")

"""V13: the GPU's clock, or the heat at the start, was not that of an honest measurement.

Looks at: samples of the GPU under load (50 % or more) and idle; clocks and start temperatures of both arms.
Warns when: start temperatures of the arms differ by more than 2 degrees, or their clocks by more than 3 %.
Invalid when: the median clock under load is below 60 % of the idle one: the power state of a GB10 that limits itself.
Unknown when: neither samples under load nor clocks or temperatures are told. Idle samples say nothing.
Source: reports of GB10 that run at 700 to 900 MHz under load with no throttle reason set and 2.2 GHz when idle; a
    healthy one keeps 2.2 to 2.4 GHz.
"""

__all__ = ["TABLE_CHECK"]

from collections.abc import Sequence

from sparktune.experiment.checks._shared import Finding, facts_number, make_table_check, median_of, other_arms, unknown
from sparktune.model.check import Status
from sparktune.model.table import Table
from sparktune.model.table_check import TableContext
from sparktune.units import Ratio, format_percent

_COLLAPSED: Ratio = 0.6
_CLOCKS: Ratio = 0.03
_DEGREES = 2.0
_LOW_HINT = "shut down, take the power adapter off for a minute, use the original 240 W one, and measure again"
_HINT = "let the machine cool to the same temperature before every visit, and lock nothing that the other arm lacks"
_NEEDED = "samples of the GPU's clock and use under load, or sm_clock_mhz and start_temp_c of the rows"


def _judge(table: Table, _: TableContext) -> Sequence[Finding]:
    samples = ["", *(f"{arm}." for arm in table.measured_arms if arm)]  # files that differ have facts of their own
    findings = [finding for prefix in samples for finding in _of_samples(table, prefix)]
    for first, second in other_arms(table):
        findings += _between(table, first, second)
    only_idle = "the samples have none under load; " if facts_number(table, "gpu_clock_idle_mhz") else ""
    return findings or [unknown(f"{only_idle}it needs {_NEEDED}")]


def _of_samples(table: Table, prefix: str) -> list[Finding]:
    loaded, idle = (facts_number(table, f"{prefix}gpu_clock_{state}_mhz") for state in ("load", "idle"))
    if not loaded or not idle:
        return []
    reasons = table.facts.get(f"{prefix}gpu_throttle_reasons", "")
    told = f", throttle reasons {reasons}" if reasons else ""
    evidence = f"{prefix}{loaded:,.0f} MHz under load, {idle:,.0f} MHz idle{told}"
    if loaded >= _COLLAPSED * idle:
        return [Finding(status=Status.OK, evidence=evidence)]
    words = f"the GPU is in its low-power state: {evidence}"
    return [Finding(status=Status.INVALID, evidence=words, hint=_LOW_HINT, weight=idle / loaded)]


def _between(table: Table, first: str, second: str) -> list[Finding]:
    rows = [[row for row in table.rows if row.arm == arm] for arm in (first, second)]
    clocks = [median_of(side, "sm_clock_mhz") for side in rows]
    degrees = [median_of(side, "start_temp_c") for side in rows]
    found = []
    if clocks[0] and clocks[1]:
        change = clocks[1] / clocks[0] - 1
        status = Status.WARN if abs(change) > _CLOCKS else Status.OK
        evidence = f"clocks of {first} and {second} differ by {format_percent(change, signed=True)}"
        found.append(Finding(status=status, evidence=evidence, hint=_HINT, weight=abs(change)))
    if degrees[0] is not None and degrees[1] is not None:
        gap = degrees[1] - degrees[0]
        status = Status.WARN if abs(gap) > _DEGREES else Status.OK
        evidence = f"{second} started {gap:+.1f} degrees from {first}"
        found.append(Finding(status=status, evidence=evidence, hint=_HINT, weight=abs(gap)))
    return found


TABLE_CHECK = make_table_check("V13", "clock and heat", _judge, source="reports of GB10 in a low-power state")

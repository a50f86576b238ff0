"""Interrupts of ``place scan``: told where they take fast cores often, with what can be done, and else not."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.interrupt_trees import gb10_interrupts, more_interrupts
from tests.support.nodes import readings_of_node
from tests.support.shared import shared
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.interrupts import SOURCE
from sparktune.host.irq_hits import TABLE_READ, irq_hits, rates_on
from sparktune.host.lab.tree import NodeTree

_CASES = yaml_cases(Path(__file__).parent / "place_interrupts")
_FAST = frozenset({*range(5, 10), *range(15, 20)})
_TIMER = " 11:" + f"{7:>11}" * 20 + "     GICv3  27 Level     arch_timer\n"
_ELAPSED_S = 4.0


def _files() -> dict[str, str]:
    files = gb10_interrupts()
    header, _, rows = files[TABLE_READ.path].partition("\n")
    return files | {TABLE_READ.path: f"{header}\n{_TIMER}{rows}"}


@pytest.mark.parametrize(("_file", "case"), _CASES)
def test_hits(_file: str, case: dict[str, Any]) -> None:
    refuse_unknown(case, frozenset({"name", "why", "per_s", "expect"}))
    files = _files()
    before = files[TABLE_READ.path]
    added = {
        name: {cpu: int(rate * _ELAPSED_S) for cpu, rate in per_cpu.items()} for name, per_cpu in case["per_s"].items()
    }

    rates = rates_on(_FAST, before, more_interrupts(before, added), _ELAPSED_S)
    hits = irq_hits(rates, SOURCE.parse(readings_of_node(NodeTree(files=files), SOURCE.reads)))

    assert len(hits) == len(case["expect"])
    for hit, expect in zip(hits, case["expect"], strict=True):
        assert expect["then"] in hit.then
        assert {
            "name": hit.name,
            "device": hit.device,
            "per_s": hit.per_s,
            "cpus": format_cpulist(frozenset(hit.per_cpu)),
            "movable": hit.movable,
        } == {key: value for key, value in expect.items() if key != "then"}


def test_what_is_no_table_tells_nothing() -> None:
    """A node that does not show the table, or an odd one, is no reason to fail the scan."""
    assert rates_on(_FAST, "", "", 1.0) == ()
    assert rates_on(_FAST, "hello\n", _files()[TABLE_READ.path], 1.0) == ()


def test_the_table_of_a_report_with_20_columns() -> None:
    """Rows of timers, IPIs and errors stand between those of devices."""
    table = shared("cases/04-proc-interrupts-20-columns/proc_interrupts.txt").read_text()
    after = more_interrupts(table, {"nvidia": {7: 8000}})

    (rate,) = rates_on(_FAST, table, after, 4.0)

    assert (rate.irq, rate.per_cpu) == (233, {7: 2000.0})

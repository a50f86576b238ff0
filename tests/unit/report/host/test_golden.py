"""Whole reports of ``host``, as people see them. ``SPARKTUNE_GOLDEN=write`` renews the files; read their diff."""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.support.host_reports import (
    CHANGES,
    applied_report,
    broken_report,
    checked_report,
    pending_plan,
    refused_plan,
    reverted_report,
    status_report,
)

from sparktune.model.node_report import NodeReport
from sparktune.report.host import Look, apply_text, plan_text, revert_text, status_text, verify_text

_GOLDEN = Path(__file__).parent / "golden"
_WHERE = "--nodes spark1,spark2"


def _plan(reports: Sequence[NodeReport], look: Look) -> str:
    return plan_text(reports, look=look, changes=CHANGES)


def _explained(reports: Sequence[NodeReport], look: Look) -> str:
    return plan_text(reports, look=look, changes=CHANGES, explain=True)


_REPORTS: dict[str, tuple[Callable[[Sequence[NodeReport], Look], str], tuple[NodeReport, ...]]] = {
    "plan": (_plan, (pending_plan("spark1"), pending_plan("spark2"))),
    "plan-refused": (_plan, (pending_plan("spark1"), refused_plan("spark2"))),
    "plan-explained": (_explained, (pending_plan("spark1"),)),
    "apply": (
        lambda reports, look: apply_text(reports, look=look),
        (applied_report("spark1"), broken_report("spark2")),
    ),
    "verify": (lambda reports, look: verify_text(reports, look=look), (checked_report("spark1"),)),
    "revert": (lambda reports, look: revert_text(reports, look=look), (reverted_report("spark1"),)),
    "status": (lambda reports, look: status_text(reports, look=look), (status_report("spark1"),)),
}


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", _REPORTS)
def test_reports_stay_as_they_were_read(name: str, width: int) -> None:
    """Somebody reads these at night: their words are chosen, and change only on purpose."""
    render, reports = _REPORTS[name]
    path = _GOLDEN / f"{name}-{width}.txt"

    actual = render(reports, Look(width=width, where=_WHERE))

    if os.environ.get("SPARKTUNE_GOLDEN") == "write":
        path.write_text(actual)
    assert actual == path.read_text()


@pytest.mark.parametrize("width", [60, 80, 100, 120])
@pytest.mark.parametrize("name", _REPORTS)
def test_lines_fit_unless_a_word_cannot(name: str, width: int) -> None:
    """What is to be copied whole may be longer than a line, a path or a command; a diff has the file's own lines."""
    render, reports = _REPORTS[name]

    for line in render(reports, Look(width=width, where=_WHERE)).splitlines():
        assert len(line) <= width or len(line.split()) <= 2 or "sparktune host" in line, line


@pytest.mark.parametrize("name", _REPORTS)
def test_colour_only_repeats_what_words_say(name: str) -> None:
    """A report in a file, or read by somebody who sees no colours, says the same."""
    render, reports = _REPORTS[name]
    plain = render(reports, Look(width=80, where=_WHERE))

    coloured = render(reports, Look(width=80, color=True, where=_WHERE))

    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain

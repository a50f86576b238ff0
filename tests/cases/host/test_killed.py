"""What logs prove about a process that was ended by SIGKILL: a wrong cause sends people after the wrong fault."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.support.shared import shared
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.host.killed import Killer, explain_kill
from sparktune.units import NS_PER_S

_KEYS = frozenset({"name", "why", "code", "ended", "container_oom", "pids", "logs", "utc_offset_s", "expect"})
_CASE_39 = "cases/39-exit-137-without-oom-evidence"


@pytest.mark.parametrize(("_subject", "case"), yaml_cases(Path(__file__).parent / "killed"))
def test_killed(_subject: str, case: dict[str, Any]) -> None:
    refuse_unknown(case, _KEYS)

    found = explain_kill(
        case["code"],
        ended_ns=_instant(case["ended"]),
        logs=["\n".join(case.get("logs", []))],
        container_oom=case.get("container_oom"),
        pids=case.get("pids"),
        utc_offset_s=case.get("utc_offset_s", 0.0),
    )

    assert found.killer is Killer(case["expect"]["killer"]), found
    assert case["expect"].get("text", "") in found.text
    assert case["expect"].get("evidence", "") in found.evidence


def test_an_engine_that_a_program_of_the_host_killed() -> None:
    """A kernel OOM of the evening before is no evidence; what the journal says of that minute is."""
    logs = [shared(f"{_CASE_39}/{name}").read_text() for name in ("journal_units.txt", "kernel_oom_other.txt")]
    state = json.loads(shared(f"{_CASE_39}/docker_state.json").read_text())

    found = explain_kill(
        state["ExitCode"], ended_ns=_instant("2026-09-01T03:10:03+00:00"), logs=logs, container_oom=state["OOMKilled"]
    )
    without = explain_kill(
        state["ExitCode"], ended_ns=_instant("2026-09-01T03:10:03+00:00"), logs=logs[1:], container_oom=False
    )

    assert found.killer is Killer.USERSPACE
    assert "anti-oom" in found.text
    assert without.killer is Killer.UNPROVEN
    assert "not proven kernel OOM" in without.text


def _instant(text: datetime | str) -> int:
    moment = datetime.fromisoformat(text) if isinstance(text, str) else text
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()) * NS_PER_S

"""Verdicts of place scan, thread by thread: what counters can prove is called certain, and nothing else is."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.host.pollers.judge import placed
from sparktune.host.pollers.known import all_known
from sparktune.model.place import PollerVerdict, ThreadSeen, ThreadWindow

_CASES = yaml_cases(Path(__file__).parent / "place")
_FAST, _SLOW = frozenset(range(5, 10)), frozenset(range(5))
_KEYS = frozenset({"name", "why", "thread", "windows", "expect"})
_EXPECT_KEYS = frozenset({"verdict", "why", "fix", "then", "known"})


def _seen(thread: dict[str, Any], windows: dict[str, Any]) -> ThreadSeen:
    one = ThreadWindow(
        length_s=2.0,
        demand=windows["demand"],
        ran=windows.get("ran", windows["demand"]),
        voluntary_per_s=windows.get("voluntary", 0.0),
        system=windows.get("system"),
        core=7,
        idle=windows.get("idle"),
        faults_per_s=windows.get("faults"),
        moved_bytes_per_s=windows.get("moved"),
    )
    return ThreadSeen(
        pid=1,
        tid=2,
        start_ticks=3,
        name=thread["name"],
        process=thread["process"],
        argv=tuple(thread.get("argv", ())),
        engine=thread.get("engine", ""),
        age_s=thread.get("age", 3600.0),
        windows=tuple(
            replace(one, demand=demand) for demand in windows.get("demands", [one.demand] * windows.get("count", 5))
        ),
        evidence=tuple(thread.get("evidence", ())),
    )


@pytest.mark.parametrize(("_file", "case"), _CASES)
def test_verdict(_file: str, case: dict[str, Any]) -> None:
    refuse_unknown(case, _KEYS)
    expect = case["expect"]
    refuse_unknown(expect, _EXPECT_KEYS)

    found = placed("node", _seen(case["thread"], case["windows"]), _FAST, _SLOW)

    assert found.verdict.value == expect["verdict"], found.why
    assert found.core_kind == "performance"
    for name in ("why", "fix", "then"):
        assert expect.get(name, "") in getattr(found, name)
    assert "known" not in expect or (found.known is not None and found.known.id == expect["known"])


def test_every_known_poller_is_recognised_in_a_case() -> None:
    """A pattern that never matches would be known of no thread, and nobody would notice."""
    recognised = {param.values[1]["expect"].get("known") for param in _CASES}

    assert {one.id for one in all_known()} - recognised == set()


def test_a_machine_without_slower_cores_is_given_no_command_that_cannot_work() -> None:
    """A person on a machine of one core type would copy a command for a GB10."""
    thread = {"process": "ggml-rpc-server", "name": "ggml-rpc-server"}

    found = placed("node", _seen(thread, {"demand": 1.0, "system": 0.1}), frozenset(), frozenset())

    assert (
        found.then == "leave it where it is: of slower cores that it could be moved to none are known on this machine"
    )


@pytest.mark.parametrize("kind", [one for one in all_known() if one.computes], ids=lambda one: one.id)
def test_a_kind_that_computes_is_never_moved(kind: Any) -> None:  # noqa: ANN401 - a parameter of pytest
    assert not kind.placement


@pytest.mark.parametrize("system", [None, 0.0, 0.01, 0.3, 0.5])
@pytest.mark.parametrize("idle", [None, True, False])
def test_what_spends_its_time_as_a_computation_does_is_never_certain(
    system: float | None, *, idle: bool | None
) -> None:
    """Whatever the gate says: outside of the kernel a spin and a computation look the same."""
    windows = {"demand": 1.0, "system": system, "faults": 0.0, "moved": 0.0, "idle": idle}
    for process in ("job", "llama-server", "VLLM::Worker_TP0", "VLLM::EngineCor", "python3"):
        seen = _seen({"process": process, "name": process, "engine": "vllm"}, windows)
        assert placed("node", seen, _FAST, _SLOW).verdict is not PollerVerdict.CERTAIN

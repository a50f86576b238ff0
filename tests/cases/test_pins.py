"""Plans of place pin: which thread goes where, by which rule, and what is refused with which way out.

``pins/plans.yaml``: ``pollers`` differ from an RPC server of llama.cpp that polls RDMA on CPU 7 of a GB10 (thread 11 of
process 10); ``process`` and ``node`` from what is seen of it there; ``wish`` is what was asked for.
"""

from pathlib import Path
from typing import Any

import pytest
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import yaml_cases

from sparktune.host.cpulist import format_cpulist, parse_cpulist
from sparktune.host.pinning.plan import plan_pins
from sparktune.host.place_units import place_files, place_links
from sparktune.host.pollers.judge import placed
from sparktune.host.step_json import encode_steps
from sparktune.model.observed import absent, present, unreadable
from sparktune.model.pin import CgroupCpus, NodePins, PinWish, PlaceSeen, ProcessSeen
from sparktune.model.place import Poller, ThreadSeen, ThreadWindow
from sparktune.model.step import ThreadRuleStep

_CASES = yaml_cases(Path(__file__).parent / "pins")
_FAST, _SLOW = parse_cpulist("5-9,15-19"), parse_cpulist("0-4,10-14")
_NAME = "ggml-rpc-server"
_OPEN = ("its process has /dev/infiniband/uverbs0 open",)
_EXPECT = frozenset({"pins", "steps", "notes", "refused", "hint", "left", "fine"})
_POLLER = frozenset({"tid", "process", "name", "engine", "allowed", "windows", "evidence"})


@pytest.mark.parametrize(("_file", "case"), _CASES)
def test_plan(_file: str, case: dict[str, Any]) -> None:
    refuse_unknown(case, frozenset({"name", "why", "wish", "node", "process", "pollers", "expect"}))
    expect = case["expect"]
    refuse_unknown(expect, _EXPECT)
    pollers = [_poller(one) for one in case["pollers"]]

    found = plan_pins("spark2", pollers, _wish(case.get("wish", {})), _seen(case, pollers[0].thread.process))

    assert bool(found.plan.refusals) == ("refused" in expect), found.plan.refusals
    for refusal in found.plan.refusals:
        assert expect["refused"] in refusal.reason
        assert expect.get("hint", "") in refusal.hint
        assert refusal.hint, "a refusal without a way out"
    _compare_pins(found, expect)
    if "steps" in expect:
        assert [step["kind"] for step in encode_steps(found.plan)] == expect["steps"]
    for note in expect.get("notes", ()):
        assert any(note in one for one in found.plan.notes), found.plan.notes
    for words, left in zip(expect.get("left", ()), found.left, strict="left" in expect):
        assert words in left.reason
        assert left.fine is expect.get("fine", False)


def _compare_pins(found: NodePins, expect: dict[str, Any]) -> None:
    if "refused" not in expect and "left" not in expect:
        assert found.pins, found.left
    for pin, told in zip(found.pins, expect.get("pins", ()), strict="pins" in expect):
        refuse_unknown(told, frozenset({"tid", "from", "to", "which", "exe"}))
        assert pin.poller.thread.tid == told["tid"]
        assert pin.before == told.get("from", pin.before)
        assert format_cpulist(pin.cpus) == told.get("to", format_cpulist(pin.cpus))
        assert told.get("which", "busy") == (pin.rule.which if pin.rule else None) or "which" not in told
        assert "exe" not in told or (pin.rule is not None and pin.rule.exe == told["exe"])


def _poller(one: dict[str, Any]) -> Poller:
    refuse_unknown(one, _POLLER)
    windows = {"idle": True, "system": 0.1, **one.get("windows", {})}
    window = ThreadWindow(
        length_s=2.0,
        demand=1.0,
        ran=1.0,
        voluntary_per_s=0.0,
        system=windows["system"],
        core=7,
        idle=windows["idle"],
        faults_per_s=0.0,
    )
    thread = ThreadSeen(
        pid=10,
        tid=one.get("tid", 11),
        start_ticks=500,
        name=one.get("name", one.get("process", _NAME)),
        process=one.get("process", _NAME),
        engine=one.get("engine", ""),
        age_s=3600.0,
        allowed=one.get("allowed", "0-19"),
        windows=(window,) * 5,
        evidence=tuple(one.get("evidence", _OPEN)),
    )
    return placed("spark2", thread, _FAST, _SLOW)


def _wish(one: dict[str, Any]) -> PinWish:
    refuse_unknown(one, frozenset({"tids", "process", "thread", "cpus", "once", "accept_likely"}))
    given = {**one, "cpus": tuple(sorted(parse_cpulist(one.get("cpus", ""))))}
    if "tids" in one:
        given["tids"] = {"spark2": tuple(one["tids"])}
    return PinWish(**given)


def _seen(case: dict[str, Any], name: str) -> PlaceSeen:
    node, process = case.get("node", {}), case.get("process", {})
    refuse_unknown(node, frozenset({"split", "systemd", "units", "timer", "rules"}))
    refuse_unknown(process, frozenset({"exe", "threads", "groups"}))
    exe = process.get("exe", _NAME)
    ours = {**{file.path: file.text for file in place_files()}, **dict(place_links())}
    return PlaceSeen(
        boot_id="b",
        efficiency=present(_SLOW) if node.get("split", True) else unreadable("all 20 CPUs are of one type (x)"),
        online=parse_cpulist("0-19"),
        processes={
            10: ProcessSeen(
                pid=10,
                exe=present(exe) if exe else absent(),
                threads=process.get("threads", {10: name, 11: name, 12: name}),
                groups=tuple(
                    CgroupCpus(path=path, cpus=parse_cpulist(str(cpus)))
                    for path, cpus in process.get("groups", {}).items()
                ),
            )
        },
        systemd=node.get("systemd", True),
        units=ours if node.get("units") else {},
        timer=node.get("timer", False),
        rules=tuple(
            ThreadRuleStep(**{**rule, "cpus": tuple(sorted(parse_cpulist(rule["cpus"])))})
            for rule in node.get("rules", ())
        ),
    )

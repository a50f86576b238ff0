"""What place pin sees, written in YAML: a thread of llama.cpp's RPC server that polls RDMA on CPU 7 of a GB10.

It is thread 11 of process 10, on node spark2; cases name what differs.
"""

__all__ = ["pin_poller", "pin_seen", "pin_wish"]

from typing import Any

from tests.support.trials import refuse_unknown

from sparktune.host.cpulist import parse_cpulist
from sparktune.host.place_units import place_files, place_links
from sparktune.host.pollers.judge import placed
from sparktune.model.observed import absent, present, unreadable
from sparktune.model.pin import CgroupCpus, PinWish, PlaceSeen, ProcessSeen
from sparktune.model.place import Poller, ThreadSeen, ThreadWindow
from sparktune.model.step import ThreadRuleStep

_FAST, _SLOW = parse_cpulist("5-9,15-19"), parse_cpulist("0-4,10-14")
_NAME = "ggml-rpc-server"
_OPEN = ("its process has /dev/infiniband/uverbs0 open",)
_POLLER = frozenset({"tid", "process", "name", "engine", "allowed", "windows", "evidence"})


def pin_poller(one: dict[str, Any]) -> Poller:
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


def pin_wish(one: dict[str, Any]) -> PinWish:
    refuse_unknown(one, frozenset({"tids", "process", "thread", "cpus", "once", "accept_likely"}))
    given = {**one, "cpus": tuple(sorted(parse_cpulist(one.get("cpus", ""))))}
    if "tids" in one:
        given["tids"] = {"spark2": tuple(one["tids"])}
    return PinWish(**given)


def pin_seen(case: dict[str, Any], name: str) -> PlaceSeen:
    node, process = case.get("node", {}), case.get("process", {})
    refuse_unknown(node, frozenset({"split", "systemd", "units", "timer", "rules", "unended"}))
    refuse_unknown(process, frozenset({"exe", "unread", "threads", "groups"}))
    exe = process.get("exe", _NAME)
    ours = {**{file.path: file.text for file in place_files()}, **dict(place_links())}
    return PlaceSeen(
        boot_id="b",
        efficiency=present(_SLOW) if node.get("split", True) else unreadable("all 20 CPUs are of one type (x)"),
        online=parse_cpulist("0-19"),
        processes={
            10: ProcessSeen(
                pid=10,
                exe=present(exe) if exe else unreadable(process["unread"]) if "unread" in process else absent(),
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
        unended=tuple(node.get("unended", ())),
    )

"""A service as its node shows it: which process serves, what its command line says, what is left over, in which state.

An arm that is not the one that was asked for, or a host that starts the next one into memory that is not free, is what
these judgements are to prevent.
"""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.support.shared import shared
from tests.support.yaml_cases import load_yaml

from sparktune.host.service.containers import ServiceContainer
from sparktune.host.service.facts import NodeProcess, ServiceFacts
from sparktune.host.service.flags import flag_text, flag_wrong
from sparktune.host.service.leftovers import Around, gpu_memory, leftovers
from sparktune.host.service.serving import serving_process
from sparktune.host.service.state import Part, State, judge, parts_of
from sparktune.model.arm_action import ServiceProcess

_FOLDER = Path(__file__).parent / "service"
_NOW = 1_000_000.0
_ID = "c" * 64


def _cases(name: str) -> list[Any]:
    return [pytest.param(case, id=case["why"]) for case in load_yaml(_FOLDER / f"{name}.yaml")]


def _processes(rows: list[Any]) -> tuple[NodeProcess, ...]:
    found = []
    for pid, parent, start, line, *groups in rows:
        argv = tuple(shlex.split(line))
        name = argv[0].rpartition("/")[2][:15]
        path = groups[0].replace("CCCC", _ID) if groups else ""
        found.append(NodeProcess(pid=pid, parent=parent, start_ticks=start, name=name, argv=argv, groups=path))
    return tuple(found)


def _part(given: dict[str, Any]) -> Part:
    fields = dict(given)
    up, ended, is_up = fields.pop("up", None), fields.pop("ended", None), fields.pop("is_up", False)
    return Part(
        up=is_up or up is not None,
        started_s=None if up is None else _NOW - up,
        ended_s=None if ended is None else _NOW - ended,
        **{"status": "running" if up is not None else "", **fields},
    )


@pytest.mark.parametrize("case", _cases("state"))
def test_states(case: dict[str, Any]) -> None:
    found = judge([_part(part) for part in case["parts"]], _NOW)
    assert found.state is State[case["state"]]
    for words in case.get("says", ()):
        assert words in found.says
    for words in case.get("notes", ()):
        assert any(words in note for note in found.notes), found.notes
    if "order" in case:
        assert len(found.order) == len(case["order"]), found.order
        assert all(words in step for words, step in zip(case["order"], found.order, strict=True)), found.order


@pytest.mark.parametrize("case", _cases("flags"))
def test_flags(case: dict[str, Any]) -> None:
    argv = case["argv"].split(" ")
    assert flag_text(argv, case["flag"]) == case["found"]
    assert not [wanted for wanted in case["right"] if flag_wrong(argv, case["flag"], wanted)]
    assert not [wanted for wanted in case["wrong"] if not flag_wrong(argv, case["flag"], wanted)]


@pytest.mark.parametrize("case", _cases("serving"))
def test_the_serving_process(case: dict[str, Any]) -> None:
    found = serving_process(_processes(case["processes"]), 8000, case["listening"])
    if "why_not" in case:
        assert found.process is None
        assert case["why_not"] in found.why
    else:
        assert found.process is not None
        assert (found.process.pid, found.how) == (case["pid"], case["how"])


@pytest.mark.parametrize("case", _cases("leftovers"))
def test_leftovers(case: dict[str, Any]) -> None:
    around = Around(
        gpu=case.get("gpu", {}),
        running=[_ID for _ in case.get("running", ())],
        listening=case.get("listening", ()),
        known={(pid, start) for pid, start in case.get("known", ())},
    )
    facts = ServiceFacts(node="", processes=_processes(case.get("mine", [])), others=_processes(case.get("others", [])))
    assert {one.process.pid: one.why for one in leftovers(facts, around)} == case["left"]


def test_memory_that_the_gpu_does_not_tell_is_unknown() -> None:
    """Where CPU and GPU share their memory nvidia-smi has none to tell: that is not 0."""
    assert gpu_memory("4242, 61440\n4243, [N/A]\nnot a line\n") == {4242: 61440 << 20, 4243: None}


def test_the_head_is_who_says_so() -> None:
    """By its rank, its flags or its name; else the one that is started last, when its workers wait already."""

    def seen(name: str, line: str = "") -> ServiceFacts:
        running = ServiceContainer(id=_ID, name=name, status="running", pid=1)
        return ServiceFacts(node="", containers=(running,), processes=_processes([[1, 0, 1, line]] if line else []))

    def heads(*facts: ServiceFacts, labels: tuple[dict[str, str], ...] = ({}, {})) -> list[bool]:
        services = [ServiceProcess(node="", labels=each) for each in labels]
        return [part.head for part in parts_of(services, facts)]

    assert heads(seen("a"), seen("b"), labels=({"sparkrun.rank": "0"}, {"sparkrun.rank": "1"})) == [True, False]
    assert heads(seen("a", "vllm serve m --node-rank 0"), seen("b", "vllm serve m --headless")) == [True, False]
    assert heads(seen("dsv4-rank0"), seen("dsv4-rank1")) == [True, False]
    assert heads(seen("one"), seen("two")) == [False, True]


def test_a_head_that_ended_under_a_worker_that_is_up() -> None:
    """The states of a public incident: the worker is up for days, and serves nothing."""
    folder = "cases/34-restart-order-and-exit-code-3"
    facts = [_of_docker_ps(shared(f"{folder}/docker_ps_{part}.txt").read_text()) for part in ("worker", "head")]
    services = [ServiceProcess(node=node) for node in ("spark2", "spark1")]
    found = judge(parts_of(services, facts), _NOW)
    unit = shared(f"{folder}/unit.service").read_text()
    assert found.state is State.HEAD_GONE
    assert "dsv4-rank1 (worker) is up for" in found.says
    assert "dsv4-rank0 (head) is exited with exit code 0 for" in found.says
    assert found.order == (
        "remove spark1 dsv4-rank0, so that its port for the other ranks is free",
        "restart spark2 dsv4-rank1",
        "then start spark1 dsv4-rank0",
        "it is back when it generates a token",
    )
    assert "Restart=on-failure" in unit
    by_unit = Part(name="h.service", head=True, status="inactive", exit_code=0, policy="on-failure", unit=True)
    assert "starts nothing again" in judge([by_unit], _NOW).notes[0]


def _of_docker_ps(table: str) -> ServiceFacts:
    row = re.split(r"\s{2,}", table.splitlines()[1].strip())
    up = re.match(r"Up (\d+) days", row[2])
    ended = re.match(r"Exited \((\d+)\) (\d+) hours ago", row[2])
    one = ServiceContainer(
        id=row[0],
        name=row[3],
        status="running" if up else "exited",
        exit_code=int(ended[1]) if ended else None,
        started_at=_time(_NOW - int(up[1]) * 86_400) if up else "",
        finished_at=_time(_NOW - int(ended[2]) * 3_600) if ended else "",
    )
    return ServiceFacts(node="", containers=(one,))


def _time(at_s: float) -> str:
    minutes, seconds = divmod(int(at_s), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"1970-01-{days + 1:02}T{hours:02}:{minutes:02}:{seconds:02}.000000000Z"

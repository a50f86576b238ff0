"""Threads and containers on trees: who is who, and what a cpuset leaves."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.support.steps import CONTAINER, PID, STARTED, WORKER, kind_named, sample_steps, sample_tree

from sparktune.agent.failures import StepFailed
from sparktune.agent.machine import Machine
from sparktune.agent.machines import machine_of
from sparktune.agent.tree import Tree


@pytest.fixture(name="machine")
def _machine(tmp_path: Path) -> Machine:
    return machine_of(Tree(str(sample_tree(tmp_path))))


def _affinity(cpus: list[int], *, start: int = STARTED) -> dict[str, Any]:
    tasks = [{"pid": PID, "tid": tid, "start_time": start} for tid in (PID, WORKER)]
    return {"kind": "affinity", "change": "test", "tasks": tasks, "cpus": cpus, "expect": {}}


def _allowed(root: Path, tid: int = WORKER) -> str:
    lines = (root / f"proc/{PID}/task/{tid}/status").read_text().splitlines()
    return next(line.split("\t")[1] for line in lines if line.startswith("Cpus_allowed_list"))


def test_another_thread_with_the_number_is_not_touched(machine: Machine, tmp_path: Path) -> None:
    done = kind_named("affinity").do(machine, _affinity([0], start=STARTED + 1), {})
    assert {one["outcome"] for one in done.values()} == {"gone"}
    assert _allowed(tmp_path) == "0-3"


def test_process_1_is_itself_after_a_boot(machine: Machine, tmp_path: Path) -> None:
    """A fleet's playbook runs the same plan again and again; the machine may have been started in between."""
    shutil.copytree(tmp_path / f"proc/{PID}/task/{WORKER}", tmp_path / "proc/1/task/1")
    step = {**_affinity([1]), "tasks": [{"pid": 1, "tid": 1, "start_time": STARTED + 1}]}
    first = kind_named("affinity").do(machine, step, {})
    again = kind_named("affinity").do(machine, step, {})
    assert [one["outcome"] for done in (first, again) for one in done.values()] == ["changed", "already"]


def test_only_process_1_outlives_a_boot() -> None:
    """Its mask of the boot before is what it gets back; a thread of that boot is gone, whoever has its number now."""
    kind, step = kind_named("affinity"), _affinity([1])
    assert kind.outlives(step, "1/1/77")
    assert not kind.outlives(step, "11/11/77")
    assert not kind.outlives(step, f"{PID}/{WORKER}/{STARTED}")


def test_the_rest_of_a_threads_text_stays(machine: Machine, tmp_path: Path) -> None:
    """A thread may have any bytes for a name."""
    status = tmp_path / f"proc/{PID}/task/{WORKER}/status"
    text = b"Name:\tcaf\xe9 \\1\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\nMems_allowed:\t1\n"
    status.write_bytes(text)
    kind, step = kind_named("affinity"), _affinity([1, 3])
    before = kind.look(machine, step)
    kind.do(machine, step, before)
    assert status.read_bytes() == text.replace(b":\tf\n", b":\ta\n").replace(b"0-3", b"1,3")
    for item in before:
        kind.put_back(machine, step, item, before[item])
    assert status.read_bytes() == text


def test_a_cpuset_cuts_and_refuses(machine: Machine, tmp_path: Path) -> None:
    """The kernel takes 1-2 inside a cpuset of 2-3 without a word, and uses 2 alone: that is told."""
    container = sample_steps()["container"]
    kind_named("container").do(machine, container, {})
    assert _allowed(tmp_path) == "2-3"
    cut = kind_named("affinity").do(machine, _affinity([1, 2]), {})
    assert {(one["outcome"], one["why"]) for one in cut.values()} == {("ineffective", "its cpuset leaves it 2 of 1-2")}
    none = kind_named("affinity").do(machine, _affinity([0, 1]), {})
    assert {one["outcome"] for one in none.values()} == {"refused"}
    assert _allowed(tmp_path) == "2"


def test_a_slice_confines_what_is_below_it(machine: Machine, tmp_path: Path) -> None:
    """Docker's containers are below system.slice: its cpuset reaches into them, and theirs is cut to it."""
    kind_named("container").do(machine, {**sample_steps()["container"], "cpus": "1-2"}, {})
    kind_named("property").do(machine, sample_steps()["property"], {})
    scope = tmp_path / f"sys/fs/cgroup/system.slice/docker-{CONTAINER}.scope"
    assert (scope / "cpuset.cpus.effective").read_text() == "1\n"
    assert _allowed(tmp_path) == _allowed(tmp_path, PID) == "1"


def test_a_container_is_its_id(machine: Machine, tmp_path: Path) -> None:
    """The next container of that name is another one; the rest of Docker's answer stays to the byte."""
    kind, step = kind_named("container"), sample_steps()["container"]
    answer = tmp_path / "commands/docker-inspect.txt"
    text = answer.read_text()
    kind.do(machine, step, {})
    assert json.loads(answer.read_text())[0]["HostConfig"] == {"CpusetCpus": "2-3"}
    assert answer.read_text() == text.replace('"CpusetCpus": ""', '"CpusetCpus": "2-3"')
    other = {**step, "container": "f" * 64}
    assert kind.look(machine, other) == {"f" * 64: None}
    assert kind.do(machine, other, {})["f" * 64]["outcome"] == "gone"
    with pytest.raises(StepFailed, match="is gone"):
        kind.put_back(machine, other, "f" * 64, {"cpus": ""})


def test_no_cpuset_and_all_cpus_are_the_same() -> None:
    """Docker cannot take a cpuset away again; whoever compares after undoing must not call that a difference."""
    kind, step = kind_named("container"), sample_steps()["container"]
    assert kind.same(step, {"cpus": ""}, {"cpus": "0-3"})
    assert not kind.same(step, {"cpus": ""}, {"cpus": "0-2"})
    assert not kind.reached({**step, "cpus": "0-3"}, CONTAINER, {"cpus": ""})
    assert (kind.shown({"cpus": ""}), kind.shown(None)) == ("", None)

"""Threads by what they are, on trees: whom a rule means, whom it does not, and what is kept of each."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.support.steps import PID, STARTED, WORKER, kind_named, sample_tree

from sparktune.agent.failures import StepFailed
from sparktune.agent.machine import Machine
from sparktune.agent.machines import machine_of
from sparktune.agent.tree import Tree

_KIND = kind_named("threads")
_POLLER = f"{PID}/{WORKER}/{STARTED}"
_MAIN = f"{PID}/{PID}/{STARTED}"


def _rule(**fields: Any) -> dict[str, Any]:  # noqa: ANN401 - as JSON has them
    names = {"exe": "engine", "process": "engine (1)", "thread": "poller"}
    return (
        {"kind": "threads", "change": "t", "cpus": [1], "which": "named", "reapply": True, "expect": {}}
        | names
        | fields
    )


@pytest.fixture(name="machine")
def _machine(tmp_path: Path) -> Machine:
    return machine_of(Tree(str(sample_tree(tmp_path))))


def _write(root: Path, tid: int, name: str, text: str) -> None:
    (root / f"proc/{PID}/task/{tid}/{name}").write_text(text)


@pytest.mark.parametrize(
    ("names", "meant"),
    [
        ({}, {_POLLER}),
        ({"exe": ""}, {_POLLER}),
        ({"process": ""}, {_POLLER}),
        ({"thread": ""}, {_MAIN, _POLLER}),
        ({"thread": "", "which": "main"}, {_MAIN}),
        ({"which": "main"}, set()),
        ({"thread": "poll"}, set()),
        ({"thread": "poller.*"}, set()),
        ({"exe": "bin/engine"}, set()),
        ({"exe": "engine (deleted)"}, set()),
        ({"process": "engine"}, set()),
    ],
)
def test_names_are_compared_as_a_whole(machine: Machine, names: dict[str, str], meant: set[str]) -> None:
    """A program whose file was replaced by an update is still that program; half a name is another one's."""
    assert set(_KIND.look(machine, _rule(**names))) == meant


@pytest.mark.parametrize(
    "names", [{"exe": "", "process": ""}, {"process": "", "thread": ""}, {"exe": "", "thread": ""}]
)
def test_one_name_alone_is_no_rule(machine: Machine, names: dict[str, str]) -> None:
    """One of them alone, python3 or main, means half a machine."""
    with pytest.raises(StepFailed, match="needs two of exe, process and thread"):
        _KIND.look(machine, _rule(**names))


@pytest.mark.parametrize("fields", [{"which": "all"}, {"which": None}, {"cpus": []}, {"exe": 3}, {"only": "1/1/1"}])
def test_what_is_no_rule_is_refused(machine: Machine, fields: dict[str, Any]) -> None:
    with pytest.raises(StepFailed):
        _KIND.look(machine, _rule(**fields))


def test_a_thread_of_the_kernel_is_never_meant(machine: Machine, tmp_path: Path) -> None:
    flags = " ".join(["0"] * 5 + [str(0x0020_8040)] + ["0"] * 12)
    _write(tmp_path, WORKER, "stat", f"{WORKER} (poller) S {flags} {STARTED} 0 0\n")
    assert _KIND.look(machine, _rule()) == {}


def test_a_rule_that_finds_nobody_says_so_and_fails_nothing(machine: Machine) -> None:
    said = _KIND.do(machine, _rule(exe="", thread="other"), {})
    assert said == {
        "*/engine (1)/other": {"outcome": "gone", "why": "no thread is so named now, and is looked for again"}
    }
    assert _KIND.lenient


def test_only_threads_whose_prior_is_known_are_touched(machine: Machine) -> None:
    """One that came between looking and doing is in no journal: nobody could give it back what it had."""
    said = _KIND.do(machine, _rule(thread=""), {_POLLER: {"cpus": "0-3"}})
    assert said == {_POLLER: {"outcome": "changed"}}
    assert _KIND.look_at(machine, _rule(), [_MAIN])[_MAIN]["cpus"] == "0-3"


def test_a_thread_is_itself_whatever_it_is_called_by_then(machine: Machine, tmp_path: Path) -> None:
    """A program names its threads when it likes; what was pinned by its old name has to be put back all the same."""
    step = _rule()
    before = _KIND.look(machine, step)
    _KIND.do(machine, step, before)
    _write(tmp_path, WORKER, "comm", "renamed\n")
    assert _KIND.look(machine, step) == {}
    assert _KIND.reached(step, _POLLER, _KIND.look_at(machine, step, before)[_POLLER])
    _KIND.put_back(machine, step, _POLLER, before[_POLLER])
    assert _KIND.look_at(machine, step, before) == before


def test_another_thread_with_the_number_is_gone(machine: Machine, tmp_path: Path) -> None:
    before = _KIND.look(machine, _rule())
    stat = (tmp_path / f"proc/{PID}/task/{WORKER}/stat").read_text()
    _write(tmp_path, WORKER, "stat", stat.replace(str(STARTED), str(STARTED + 1)))
    assert _KIND.do(machine, _rule(), before)[_POLLER]["outcome"] == "gone"
    assert _KIND.look_at(machine, _rule(), [_POLLER]) == {_POLLER: None}


def test_a_cpuset_that_cuts_or_forbids_is_told(machine: Machine, tmp_path: Path) -> None:
    """The kernel leaves out CPUs of a mask without a word: "pinned" would be a lie."""
    group = next((tmp_path / "sys/fs/cgroup/system.slice").glob("docker-*"))
    (group / "cpuset.cpus.effective").write_text("2-3\n")
    cut = _rule(cpus=[1, 2])
    said = _KIND.do(machine, cut, _KIND.look(machine, cut))[_POLLER]
    assert said == {"outcome": "ineffective", "why": "its cpuset leaves it 2 of 1-2"}
    none = _rule(cpus=[0, 1])
    refused = _KIND.do(machine, none, _KIND.look(machine, none))[_POLLER]
    assert refused["outcome"] == "refused"
    assert "its cpuset has none of these CPUs" in refused["why"]


def test_a_captured_tree_tells_nobody_who_is_busy(machine: Machine) -> None:
    step = _rule(which="busy")
    assert _KIND.look(machine, step) == {}
    (said,) = _KIND.do(machine, step, {}).values()
    assert said == {
        "outcome": "refused",
        "why": "what threads want of a core cannot be measured in a captured tree",
    }
    with pytest.raises(StepFailed, match=f"thread {WORKER} of process {PID} is not moved: .* captured tree"):
        _KIND.look(machine, {**step, "expect": {_POLLER: "0-3"}})


def test_a_process_without_a_program_matches_no_program(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / f"proc/{PID}/exe").unlink()
    assert _KIND.look(machine, _rule()) == {}
    assert set(_KIND.look(machine, _rule(exe=""))) == {_POLLER}


def test_a_name_may_hold_anything(machine: Machine, tmp_path: Path) -> None:
    """A thread may be called by any bytes, a closing parenthesis and a newline among them."""
    shutil.rmtree(tmp_path / f"proc/{PID}/task/{PID}")
    (tmp_path / f"proc/{PID}/task/{WORKER}/comm").write_bytes(b"a) R\n\xff\n")
    _write(tmp_path, WORKER, "stat", f"{WORKER} (a) R\n?) S {' '.join(['0'] * 18)} {STARTED} 0 0\n")
    assert set(_KIND.look(machine, _rule(thread="a) R\n\ufffd"))) == {_POLLER}

"""Rules are done again for threads that came since, undone with what they belong to, and leave no journals behind."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.support.steps import PID, STARTED, WORKER, sample_steps, sample_tree, tree_state

from sparktune.agent.engine import Engine
from sparktune.agent.follow import found_by_rules, lines_followed
from sparktune.agent.tree import Tree

_RULE = sample_steps()["threads"]
_POLLER = f"{PID}/{WORKER}/{STARTED}"


class _Node:
    """A captured tree on which the poller can end and come back."""

    def __init__(self, folder: Path) -> None:
        self.root = sample_tree(folder)
        self.tree = Tree(str(self.root))

    @property
    def engine(self) -> Engine:
        return Engine(Tree(str(self.root)), b"the agent")

    def transact(self, *steps: dict[str, Any], **request: Any) -> str:  # noqa: ANN401 - as JSON has them
        request = {"label": "pin", "who": "me", **request}
        return str(self.engine.transact({**request, "steps": list(steps)})[1]["transaction"])

    def follow(self) -> list[str]:
        """Return what became of the threads that came."""
        found, crashed = found_by_rules(self.tree)
        if not found and not crashed:
            return []
        parts, _ = self.engine.follow({"who": "the timer", "found": found})
        return [
            f"{item} {said['outcome']}"
            for one in parts
            for step in one["steps"]
            for item, said in step["items"].items()
        ]

    def restart(self, start: int) -> str:
        """Let the poller be another thread, with all CPUs; return its item."""
        folder = self.root / f"proc/{PID}/task/{WORKER}"
        stat = f"{WORKER} (poller) S {' '.join(['0'] * 18)} {start} 0 0\n"
        (folder / "stat").write_text(stat)
        (folder / "status").write_text("Name:\tengine\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\nThreads:\t2\n")
        return f"{PID}/{WORKER}/{start}"

    def allowed(self) -> str:
        text = (self.root / f"proc/{PID}/task/{WORKER}/status").read_text()
        return text.partition("Cpus_allowed_list:\t")[2].partition("\n")[0]

    def names(self, comm: str) -> None:
        (self.root / f"proc/{PID}/task/{WORKER}/comm").write_text(f"{comm}\n")

    def journal(self) -> list[tuple[str, str]]:
        listed = self.engine.journal({})[1]["transactions"]
        return [(one["label"], one["state"]) for one in listed]

    def revert(self, name: str = "") -> dict[str, str]:
        parts, _ = self.engine.revert({"transaction": name, "who": "me"})
        return {item: said["outcome"] for one in parts for step in one["steps"] for item, said in step["items"].items()}


@pytest.fixture
def node(tmp_path: Path) -> _Node:
    return _Node(tmp_path)


def test_nothing_came_nothing_is_written(node: _Node) -> None:
    """A timer asks every few seconds: a journal entry each time would fill the disk."""
    node.transact(_RULE)
    before = tree_state(node.root), node.journal()
    assert node.follow() == []
    assert (tree_state(node.root), node.journal()) == before


def test_without_a_rule_nothing_is_looked_for(node: _Node) -> None:
    node.transact(sample_steps()["value"], sample_steps()["affinity"])
    assert found_by_rules(node.tree) == ([], False)


def test_a_thread_that_came_back_is_pinned_and_gets_back_what_it_had(node: _Node) -> None:
    name = node.transact(_RULE)
    item = node.restart(STARTED + 5)
    assert node.follow() == [f"{item} changed"]
    assert node.allowed() == "1"
    assert node.follow() == []

    assert node.revert(name) == {item: "restored", _POLLER: "gone"}
    assert node.allowed() == "0-3"
    assert node.follow() == []


def test_a_rule_stands_before_its_first_thread(node: _Node) -> None:
    """The server may be down while its thread is pinned: the rule is for when it comes."""
    start = tree_state(node.root)
    node.names("other")
    name = node.transact(_RULE)
    assert name
    node.names("poller")
    assert node.follow() == [f"{_POLLER} changed"]
    assert node.revert() == {_POLLER: "restored"}
    assert {path: state[:-1] for path, state in tree_state(node.root).items()} == {
        path: state[:-1] for path, state in start.items()
    }


def test_the_same_rule_twice_is_one(node: _Node) -> None:
    assert node.transact(_RULE)
    assert node.transact({**_RULE, "expect": {_POLLER: "1"}, "change": "other words"}) == ""
    node.names("other")
    assert node.transact(_RULE) == ""
    assert node.transact({**_RULE, "cpus": [2]}) != ""


def test_a_rule_without_reapply_is_over_with_its_doing(node: _Node) -> None:
    step = {**_RULE, "reapply": False}
    node.names("other")
    assert node.transact(step) == ""
    node.names("poller")
    assert node.transact(step)
    node.restart(STARTED + 5)
    assert node.follow() == []


def test_restarts_leave_one_entry_not_one_each(node: _Node) -> None:
    node.transact(_RULE)
    for more in range(1, 6):
        node.restart(STARTED + more)
        assert node.follow()
    assert node.journal() == [("pin", "committed"), ("follow", "committed")]


def test_what_is_refused_is_not_tried_again(node: _Node) -> None:
    """Else a cpuset without the CPU would cost a transaction every few seconds, for ever."""
    group = next((node.root / "sys/fs/cgroup/system.slice").glob("docker-*"))
    node.transact(_RULE)
    item = node.restart(STARTED + 5)
    (group / "cpuset.cpus.effective").write_text("2-3\n")
    assert node.follow() == [f"{item} refused"]
    assert node.follow() == []
    assert node.revert() == {_POLLER: "gone"}


def test_what_somebody_changed_since_is_theirs(node: _Node) -> None:
    """The node does not fight with whoever moves a thread by hand, or with a program that does so itself."""
    node.transact(_RULE)
    status = node.root / f"proc/{PID}/task/{WORKER}/status"
    status.write_text(status.read_text().replace("list:\t1", "list:\t2"))
    assert node.follow() == []
    assert node.revert() == {_POLLER: "foreign"}
    assert node.allowed() == "2"


def test_of_two_rules_the_newer_counts(node: _Node) -> None:
    node.transact(_RULE)
    node.transact({**_RULE, "cpus": [2]})
    item = node.restart(STARTED + 5)
    assert node.follow() == [f"{item} changed"]
    assert node.allowed() == "2"


def test_what_waits_to_be_confirmed_is_not_followed(node: _Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be undone any moment."""
    monkeypatch.setattr("sparktune.agent.transaction.arm", lambda *_arguments: None)
    name = node.transact(_RULE, confirm_within_s=600.0)
    node.restart(STARTED + 5)
    assert node.follow() == []
    node.engine.confirm({"transaction": name})
    assert node.follow()


def test_another_boot_forgets_threads_not_rules(node: _Node) -> None:
    """A thread of that boot may have the numbers of one of this."""
    node.transact(_RULE)
    node.restart(STARTED + 5)
    node.follow()
    (node.root / "proc/sys/kernel/random/boot_id").write_text("00000000-0000-4000-8000-000000000002\n")
    item = node.restart(STARTED + 5)
    assert node.follow() == [f"{item} changed"]
    assert node.journal() == [("pin", "committed"), ("follow", "committed")]
    assert node.revert() == {item: "restored", _POLLER: "void"}


def test_reapply_leaves_rules_to_follow(node: _Node) -> None:
    node.transact(_RULE)
    node.restart(STARTED + 5)
    assert node.engine.reapply({})[0] == []
    assert node.allowed() == "0-3"


def _cut(node: _Node, name: str, record: str) -> None:
    """Let a journal end before a record, as a kill would."""
    path = node.root / "var/lib/sparktune/txn" / name / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    kept = [json.loads(line)["record"] for line in lines].index(record)
    path.write_bytes(b"".join(lines[:kept]) + lines[kept][:20])


def test_an_entry_that_a_crash_left_is_undone_and_done_anew(node: _Node) -> None:
    node.transact(_RULE)
    item = node.restart(STARTED + 5)
    node.follow()
    _cut(node, node.engine.journal({})[1]["transactions"][-1]["id"], "DONE")
    assert node.follow() == []
    assert node.allowed() == "0-3"
    assert node.follow() == [f"{item} changed"]
    assert node.revert()[item] == "restored"
    assert node.allowed() == "0-3"


def test_what_others_left_open_is_left_to_others(node: _Node) -> None:
    """A timer rolls back nobody's half-done profile; it only keeps off the threads that one speaks of."""
    affinity = {**sample_steps()["affinity"], "cpus": [0]}
    node.transact(_RULE)
    node.restart(STARTED + 5)
    name = node.transact({**affinity, "tasks": [{"pid": PID, "tid": WORKER, "start_time": STARTED + 5}]})
    _cut(node, name, "COMMIT")
    assert node.follow() == []
    assert node.journal()[-1] == ("pin", "open")


_SENSELESS = [
    b"garbage\n",
    b'[{"kind":"threads"}]\n',
    b'{"n":1}\n',
    b'{"n":1,"record":["COMMIT"]}\n',
    b'{"n":1,"record":"PREPARE"}\n',
    b'{"n":1,"record":"PREPARE","before":null}\n',
]


@pytest.mark.parametrize("line", _SENSELESS)
def test_a_damaged_journal_is_no_rule_and_stops_no_other(node: _Node, line: bytes) -> None:
    damaged = node.transact({**_RULE, "cpus": [3]})
    node.transact(_RULE)
    path = node.root / "var/lib/sparktune/txn" / damaged / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + line + b"".join(lines[2:]))
    item = node.restart(STARTED + 5)
    assert node.follow() == [f"{item} changed"]
    assert node.allowed() == "1"


@pytest.mark.parametrize("steps", [None, "all", [1], [{**_RULE, "cpus": None}], [{**_RULE, "cpus": ["x"]}]])
def test_a_rule_that_makes_no_sense_stops_no_other(node: _Node, steps: object) -> None:
    damaged = node.transact({**_RULE, "cpus": [3]})
    node.transact(_RULE)
    path = node.root / "var/lib/sparktune/txn" / damaged / "journal.jsonl"
    first, *others = path.read_bytes().splitlines(keepends=True)
    begin = {**json.loads(first), "steps": steps, "label": '"kind":"threads"', "was": {"kind": "threads"}}
    path.write_bytes(json.dumps(begin, separators=(",", ":")).encode() + b"\n" + b"".join(others))
    item = node.restart(STARTED + 5)
    assert node.follow() == [f"{item} changed"]
    assert node.allowed() == "1"


def test_a_source_that_was_undone_meanwhile_is_not_done_again(node: _Node) -> None:
    """Between looking, which holds no lock, and doing somebody may revert it."""
    node.transact(_RULE)
    node.restart(STARTED + 5)
    found, _ = found_by_rules(node.tree)
    node.revert()
    assert node.engine.follow({"who": "the timer", "found": found})[0] == []
    assert node.allowed() == "0-3"


def test_a_thread_that_ends_in_between_is_no_failure(node: _Node) -> None:
    node.transact(_RULE)
    item = node.restart(STARTED + 5)
    found, _ = found_by_rules(node.tree)
    shutil.rmtree(node.root / f"proc/{PID}")
    parts, end = node.engine.follow({"who": "the timer", "found": found})
    assert [one["transaction"] for one in parts] == [""]
    assert (end["state"], parts[0]["steps"][0]["items"][item]["outcome"]) == ("committed", "gone")
    assert node.revert() == {_POLLER: "gone"}


def test_what_was_done_is_one_line() -> None:
    said = {
        "9/10/7": {"outcome": "changed", "found": "0-4"},
        "9/11/7": {"outcome": "ineffective", "why": "its cpuset leaves it 0 of 0-4"},
    }
    one = {"of": "0001-X", "failed": "", "steps": [{"items": said}]}
    assert list(lines_followed({"followed": [one]})) == [
        "pinned to CPUs 0-4: thread 9/10 (process/thread), as 0001-X says",
        "not as 0001-X says: thread 9/11 (process/thread): its cpuset leaves it 0 of 0-4",
    ]
    assert list(lines_followed({"transactions": 0, "state": "nothing"})) == []

"""How often a command logs in on a node: once, however much it reads there.

Over a real ssh each session is a login with its entry in the node's log, and a start of Python on both ends; whoever
looks every minute pays it every minute.
"""

import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.in_process import commands, invoke
from tests.support.odd_ssh import odd_ssh
from tests.support.yaml_cases import load_yaml

from sparktune.flows import export
from sparktune.io.lab import write_lab

_CASES: list[dict[str, Any]] = load_yaml(Path(__file__).parents[2] / "cases" / "sessions.yaml")
_COUNTED = [case for case in _CASES if "sessions" in case]
_ODD = Path(__file__).parents[2] / "support" / "odd_ssh.py"
_NODES = ("spark1", "spark2")
_COMPOSE = "services:\n  vllm:\n    image: vllm:1\n    command: [vllm, serve, m, --max-num-seqs, '4']\n"
_CONFIG = """\
nodes: [{name: spark1, host: spark1}, {name: spark2, host: spark2}]
services:
  chat:
    endpoint: http://127.0.0.1:9/v1
    launcher: compose
    where:
    - {node: spark1, file: /srv/chat/compose.yaml, service: vllm}
    - {node: spark2, file: /srv/chat/compose.yaml, service: vllm}
"""
_ENTRY = """\
schema: 1
settings:
- knob: max_num_seqs
  value: {flags: {max_num_seqs: '8'}}
  instead_of: {flags: {max_num_seqs: '4'}}
  scope: {cluster: , service: chat, image_digest: 'sha256:1', launcher: compose, model: m, workload: }
  evidence: {practice: made up}
"""


@pytest.fixture
def orders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configured folder whose nodes are trees behind an ssh that counts."""
    for name, tree in zip(_NODES, write_lab(tmp_path / "lab"), strict=True):
        (tree / "srv" / "chat").mkdir(parents=True)
        (tree / "srv" / "chat" / "compose.yaml").write_text(_COMPOSE)
        odd_ssh(tmp_path / "orders", name, root=str(tree))
    here = tmp_path / "here"
    here.mkdir()
    (here / "sparktune.yaml").write_text(_CONFIG)
    (here / "earned.yaml").write_text(_ENTRY)
    (here / "compose.yaml").write_text(_COMPOSE)
    monkeypatch.chdir(here)
    monkeypatch.setenv("SPARKTUNE_SSH", f"{sys.executable} {_ODD} {tmp_path / 'orders'}")
    # How long threads are looked at is no matter here.
    monkeypatch.setattr(export, "_WINDOWS", 1)
    monkeypatch.setattr(export, "_WINDOW_S", 0.1)
    return tmp_path / "orders"


@pytest.mark.parametrize("case", _COUNTED, ids=[case["command"] for case in _COUNTED])
def test_a_command_logs_in_no_more_often_than_it_says(case: dict[str, Any], orders: Path) -> None:
    done = invoke(*case["command"].format(files=Path.cwd()).split())

    made = {name: _count(orders, name) for name in _NODES}
    assert done.code in (0, 1, 2, 3), done.err
    assert max(made.values()) > 0, f"nobody was asked: {done.err}"
    assert max(made.values()) <= case["sessions"], made
    assert case["sessions"] == 1 or case["why"]


def test_a_node_that_is_off_is_knocked_at_once(orders: Path) -> None:
    """Its four reasons are one: else whoever waits for it waits as often."""
    odd_ssh(orders, "spark2", root="", refuses=0)

    done = invoke("status", "--within", "60s", "--json")

    nodes = {one["node"]: one for one in done.json["nodes"]}
    assert nodes["spark1"]["answers"] is True
    assert "No route to host" in nodes["spark2"]["why"]
    assert _count(orders, "spark2") == 1


def test_every_command_that_names_nodes_is_counted_or_says_why_not() -> None:
    flags = {"--nodes", "--node"}
    asking = {name for name, command in commands() if flags & {word for one in command.params for word in one.opts}}
    told = {case["command"] for case in _CASES if case.get("why_not")}
    told |= {name for name in asking for case in _COUNTED if f"{case['command']} ".startswith(f"{name} ")}

    assert asking - told == set()


def _count(orders: Path, node: str) -> int:
    made = orders / f"{node}.count"
    return len(made.read_text()) if made.exists() else 0

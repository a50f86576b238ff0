"""What an agent loads for a question. It compiles every module anew each time, since nothing of it stays on a node."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sparktune.agent.bootstrap import bootstrap
from sparktune.io.transport.package import agent_archive

_CHANGES = {"sparktune.agent.engine", "sparktune.agent.steps", "sparktune.agent.transaction", "sparktune.agent.undo"}


def _loaded(verb: str, root: Path, **fields: object) -> tuple[dict[str, object], set[str]]:
    """Ask an agent one thing; return its last answer and the modules that it loaded."""
    archive = agent_archive()
    command = list(bootstrap(sys.executable, archive, "word", str(root)))
    command[1:1] = ["-X", "importtime"]
    request = json.dumps({"id": 1, "verb": verb, **fields}).encode() + b"\n"
    done = subprocess.run(command, input=archive + request, capture_output=True, check=True)
    modules = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    return json.loads(done.stdout.splitlines()[-1]), modules


@pytest.mark.parametrize(
    ("verb", "fields"),
    [("hello", {}), ("observe", {"reads": [{"kind": "file", "path": "/proc/version", "most_bytes": 9}]})],
)
def test_who_looks_loads_nothing_of_what_changes_a_node(verb: str, fields: dict[str, object], tmp_path: Path) -> None:
    answer, modules = _loaded(verb, tmp_path, **fields)

    assert "ok" in answer
    assert "sparktune.agent.main" in modules
    assert not (_CHANGES | {"sparktune.agent.telling", "sparktune.agent.home"}) & modules


def test_the_journal_of_a_node_that_was_never_changed_is_told_without_it_either(tmp_path: Path) -> None:
    """Half of what an agent's start costs, and status asks every node for its journal."""
    answer, modules = _loaded("journal", tmp_path)

    assert answer["ok"] == {"transactions": [], "holder": ""}
    assert "sparktune.agent.telling" in modules
    assert not _CHANGES & modules

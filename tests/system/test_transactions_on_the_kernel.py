"""Whole transactions on this machine's kernel, in a mount namespace of their own: killed, on a full disk, on none.

Only the value of vm.swappiness is the machine's own; it is put back whatever happens. The rest of what a transaction
writes is in file systems that end with the namespace.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sparktune.io.transport.package import agent_archive

pytestmark = pytest.mark.root

_SWAPPINESS = Path("/proc/sys/vm/swappiness")
_HOME = "/var/lib/sparktune"
# Mounts need a namespace, and a folder of settings that may be written.
_PREPARE = """
set -e
mount -t tmpfs none /run/lock
mkdir -p /etc/sysctl.d
mount -t tmpfs none /etc/sysctl.d
"""
# Ends the agent at once where it is about to write a record of its journal.
_KILLED_AT = """
import os, runpy, signal, sys
write = os.write
def instead(handle, data):
    if b'"record":"%s"' in bytes(data):
        os.kill(os.getpid(), signal.SIGKILL)
    return write(handle, data)
os.write = instead
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture(autouse=True)
def _kernel_as_before() -> Iterator[None]:
    before = _SWAPPINESS.read_text()
    try:
        yield
    finally:
        after = _SWAPPINESS.read_text()
        _SWAPPINESS.write_text(before)
    assert after == before


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    """The archive, and beside it a plan that changes a value of the kernel and the file that keeps it."""
    wanted = "33" if _SWAPPINESS.read_text().strip() != "33" else "34"
    steps: list[dict[str, Any]] = [
        {"kind": "file", "path": "/etc/sysctl.d/99-zz-test.conf", "text": f"vm.swappiness = {wanted}\n", "mode": 0o644},
        {"kind": "value", "path": str(_SWAPPINESS), "text": wanted, "form": "words", "lasting": True, "reapply": False},
    ]
    plan = {"label": "test", "steps": [{"change": "test", "expect": {}, **step} for step in steps]}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    (tmp_path / "agent.pyz").write_bytes(agent_archive())
    (tmp_path / "killed.py").write_text(_KILLED_AT)
    return tmp_path


def _run(agent: Path, script: str, *, home: str = "mount -t tmpfs none") -> list[str]:
    """Run a script with ``$A`` as the agent and ``$P`` as its plan; return the lines that it prints."""
    python = f"{sys.executable} -I"
    names = f"A='{python} {agent}/agent.pyz' P={agent}/plan.json S={_SWAPPINESS} H={_HOME} F=/etc/sysctl.d\n"
    names += f"K='{python} {agent}/killed.py {agent}/agent.pyz'\n"
    made = not Path(_HOME).exists()
    try:
        text = f"{_PREPARE}mkdir -p {_HOME}\n{home} {_HOME}\nset +e\n{names}{script}"
        command = ("unshare", "--mount", "--propagation", "private", "sh", "-c", text)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        if made:
            Path(_HOME).rmdir()  # where the file system was
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_applying_and_reverting_is_the_same_as_nothing(agent: Path) -> None:
    before = _SWAPPINESS.read_text().strip()
    lines = _run(agent, "$A transact $P >/dev/null; cat $S; ls $F; python3 $H/agent.pyz revert; cat $S; ls -A $F")
    assert lines[0] in {"33", "34"}
    assert lines[1] == "99-zz-test.conf"
    assert lines[-2:] == ["1 transaction: reverted", before]


@pytest.mark.parametrize("record", ["BEGIN", "PREPARE", "DONE", "COMMIT"])
def test_a_kill_leaves_what_a_revert_makes_good(record: str, agent: Path) -> None:
    before = _SWAPPINESS.read_text().strip()
    (agent / "killed.py").write_text(_KILLED_AT.replace("%s", record))
    lines = _run(agent, "$K transact $P; echo $?; $A revert | tail -n 1; cat $S; ls -A $F; $A status")
    assert lines[0] == "137"
    assert lines[1] in {"1 transaction: rolled_back", "1 transaction: reverted", "nothing to do"}
    assert lines[2] == before
    assert "99-zz-test.conf" not in lines


@pytest.mark.parametrize("home", ["mount -t tmpfs -o ro none", "mount -t tmpfs -o size=64k none"])
def test_where_no_journal_can_be_kept_nothing_is_touched(home: str, agent: Path) -> None:
    before = _SWAPPINESS.read_text().strip()
    lines = _run(agent, "$A --json transact $P; echo $?; cat $S; ls -A $F", home=home)
    assert json.loads(lines[0])["error"]["kind"] == "journal"
    assert lines[1:] == ["1", before]


def test_a_disk_that_is_full_by_then_does_not_keep_anything_from_being_undone(agent: Path) -> None:
    before = _SWAPPINESS.read_text().strip()
    script = "$A transact $P >/dev/null; cat /dev/zero > $H/filler 2>/dev/null; df --output=avail $H | tail -n 1; "
    lines = _run(agent, f"{script} $A revert | tail -n 1; cat $S; ls -A $F", home="mount -t tmpfs -o size=2m none")
    assert lines[0].strip() == "0"
    assert lines[1:] == ["1 transaction: reverted", before]

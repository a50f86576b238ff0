"""The agent by hand on this machine, with a state of its own: journals and lock go with its namespace."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sparktune.io.transport.package import agent_archive

_HOME = "/var/lib/sparktune"
_PREPARE = """
set -e
mount -t tmpfs none /run/lock
mount -t tmpfs {options} none {home}
echo ready
read -r end
"""


class PrivateAgent:
    """Commands of the agent, all in one mount namespace; the processes that they see are the machine's."""

    def __init__(self, folder: Path, holder: int) -> None:
        """Write the archive."""
        self._archive = folder / "agent.pyz"
        self.enter = ("nsenter", f"--target={holder}", "--mount")
        """What a command begins with that is to see this state, and not the machine's."""
        self._plan = folder / "plan.json"
        self._archive.write_bytes(agent_archive())

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        command = (*self.enter, sys.executable, "-I", str(self._archive), *arguments)
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def transact(self, *steps: dict[str, Any]) -> dict[str, Any]:
        """Carry out steps; return the answer."""
        self._plan.write_text(json.dumps({"label": "test", "steps": steps}))
        answer = json.loads(self.run("--json", "transact", str(self._plan)).stdout)
        assert isinstance(answer, dict)
        return answer

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the node meanwhile."""
        code = (
            "import fcntl,os;f=os.open('/run/lock/sparktune.lock',66);fcntl.flock(f,2);print('held',flush=True);input()"
        )
        command = (*self.enter, sys.executable, "-I", "-c", code)
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "held\n"
            yield
            child.kill()

    def labels(self) -> list[str]:
        """Return the labels of the transactions that there are."""
        return [str(one["label"]) for one in json.loads(self.run("--json", "status").stdout)["transactions"]]


@contextmanager
def private_agent(folder: Path, *, size: str = "") -> Iterator[PrivateAgent]:
    """Make the namespace, with a disk of that size ("64k") for the journals; it ends with its holder."""
    for program in ("unshare", "nsenter"):
        if shutil.which(program) is None:
            pytest.skip(f"needs the command {program}")
    made = not Path(_HOME).exists()
    Path(_HOME).mkdir(parents=True, exist_ok=True)
    prepare = _PREPARE.format(home=_HOME, options=f"-o size={size}" if size else "")
    command = ("unshare", "--mount", "--propagation", "private", "sh", "-c", prepare)
    try:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
            try:
                assert holder.stdout is not None
                assert holder.stdout.readline() == "ready\n"
                yield PrivateAgent(folder, holder.pid)
            finally:
                holder.kill()
    finally:
        if made:
            Path(_HOME).rmdir()

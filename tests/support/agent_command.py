"""The agent by hand, as a node has it: ``python3 agent.pyz --root TREE COMMAND``."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.steps import sample_tree

from sparktune.io.transport.package import agent_archive

SWAPPINESS = "/proc/sys/vm/swappiness"


class AgentCommand:
    """An archive beside a captured tree."""

    def __init__(self, folder: Path) -> None:
        """Write both."""
        self.archive, self.tree = folder / "agent.pyz", sample_tree(folder / "tree")
        self.archive.write_bytes(agent_archive())
        self.plan = folder / "plan.json"

    def command(self, *arguments: str) -> list[str]:
        """Return the command line."""
        return [sys.executable, "-I", str(self.archive), "--root", str(self.tree), *arguments]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, check=False)

    def json(self, *arguments: str) -> dict[str, Any]:
        """Run a command and return its answer."""
        done = self.run("--json", *arguments)
        answer = json.loads(done.stdout)
        assert isinstance(answer, dict), done.stderr
        return {**answer, "code": done.returncode}

    def write_plan(self, *steps: dict[str, Any], **fields: Any) -> str:  # noqa: ANN401 - as JSON has them
        """Write a plan; return its path."""
        self.plan.write_text(json.dumps({"label": "test", "steps": steps, **fields}))
        return str(self.plan)

    def value(self, path: str = SWAPPINESS) -> str:
        """Return what a file of the tree says."""
        return (self.tree / path.lstrip("/")).read_text().strip()

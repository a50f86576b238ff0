"""This machine as a node whose agent breaks where a test wants it; its journals and its lock go with the test."""

__all__ = ["NODE", "PinNode", "pin_node"]

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import Finished
from tests.support.in_process import invoke
from tests.support.odd_ssh import odd_ssh
from tests.support.private_agent import PrivateAgent, private_agent

NODE = "spark"
_ODD = Path(__file__).with_name("odd_ssh.py")


class PinNode:
    """``sparktune place`` with this node, over an ssh that is none; ``agent`` are its commands on the node itself."""

    def __init__(self, folder: Path, agent: PrivateAgent) -> None:
        """Let nothing break yet."""
        self.agent, self._orders = agent, folder / "orders"
        self._ssh = shlex.join((*agent.enter, sys.executable, str(_ODD), str(self._orders)))
        self.breaks()

    def breaks(self, **orders: object) -> None:
        """Say where the agents that are started from now on break, as ``odd_ssh`` has it; nowhere without a word."""
        odd_ssh(self._orders, NODE, root="", **orders)
        (self._orders / f"{NODE}.broken").unlink(missing_ok=True)

    def reached_by(self, ssh: str) -> None:
        """Let another command stand for ssh from now on."""
        self._ssh = ssh

    def start(self, *words: str) -> "subprocess.Popen[str]":
        """Start ``sparktune place WORDS``, which can be killed; its agent outlives it."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            (sys.executable, "-m", "sparktune", "place", *words, "--nodes", NODE),
            stdout=pipe,
            stderr=pipe,
            text=True,
            env={**os.environ, **self.environment()},
        )

    def run(self, *words: str) -> Finished:
        """Run it to its end, in this process."""
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.environment().items():
                patch.setenv(name, value)
            return invoke("place", *words, "--nodes", NODE)

    def report(self, *words: str) -> tuple[int, dict[str, Any]]:
        """Run it with ``--json``; return its exit code, and what it says of the node."""
        done = self.run(*words, "--json", "--quiet")
        assert done.out, done.err
        (node,) = json.loads(done.out)["nodes"]
        return done.code, node

    def states(self) -> list[str]:
        """Return how the transactions of the node stand, the oldest first."""
        return [str(one["state"]) for one in json.loads(self.agent.run("--json", "status").stdout)["transactions"]]

    def kill_agent(self) -> bool:
        """Kill the agent that holds the node's lock; tell whether there was one."""
        found = re.search(r"\(process (\d+)\)", json.loads(self.agent.run("--json", "status").stdout)["holder"])
        if found is not None:
            os.kill(int(found[1]), signal.SIGKILL)
        return found is not None

    def environment(self) -> Mapping[str, str]:
        """Return what leads the program to this node."""
        return {"SPARKTUNE_SSH": self._ssh}


@contextmanager
def pin_node(folder: Path, *, size: str = "") -> Iterator[PinNode]:
    """Make the node; with ``size`` its disk for journals has no more than that ("64k")."""
    with private_agent(folder, size=size) as agent:
        node = PinNode(folder, agent)
        yield node
        node.kill_agent()  # one that waits for a test that has ended

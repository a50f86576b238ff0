"""Ctrl-C is no reason to leave a node half changed."""

import os
import signal
from pathlib import Path

import pytest
from tests.support.fake_kind import FakeKind, FakeNode, step

from sparktune.agent.kind import Items, Reading, Step
from sparktune.agent.machine import Machine


class _Interrupted(FakeKind):
    """While its first step is done, a signal comes."""

    def do(self, machine: Machine, step: Step, before: Reading) -> Items:
        if not self.done:
            os.kill(os.getpid(), self.signal)
        return super().do(machine, step, before)

    signal = signal.SIGINT


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_the_middle_takes_everything_back(number: signal.Signals, tmp_path: Path) -> None:
    kind = _Interrupted(a="1")
    kind.signal = number
    node = FakeNode(tmp_path, kind)
    handler = signal.getsignal(number)

    end = node.transact(step(a="9"), step(b="9"))

    assert (end["state"], end["failed"]) == ("rolled_back", f"step 1 (test): interrupted by {number.name}")
    assert kind.values == {"a": "1"}
    assert signal.getsignal(number) is handler

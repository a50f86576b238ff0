"""Whoever cuts off his own connection gets the node back: what is not confirmed is undone by the node itself."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.support.agent_command import AgentCommand
from tests.support.steps import sample_steps

_STEPS = sample_steps()
_AGES_S = 3600.0
_PATIENCE_S = 60.0


@pytest.fixture
def agent(tmp_path: Path) -> AgentCommand:
    return AgentCommand(tmp_path)


def _transact(agent: AgentCommand, within_s: float) -> str:
    end = agent.json("transact", agent.write_plan(_STEPS["value"], confirm_within_s=within_s))
    assert end["state"] == "unconfirmed"
    return str(end["transaction"])


def _wait_for_state(agent: AgentCommand, wanted: str) -> None:
    end = time.monotonic() + _PATIENCE_S
    while (state := agent.json("status")["transactions"][0]["state"]) != wanted:
        assert time.monotonic() < end, f"it is {state}, not {wanted}"
        time.sleep(0.1)


def _clocks(agent: AgentCommand) -> list[int]:
    """Return the processes that wait to undo something in this tree."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            arguments = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue  # it has ended
        if b"expire" in arguments and str(agent.tree).encode() in arguments:
            found.append(int(entry.name))
    return found


def test_what_nobody_confirms_is_undone(agent: AgentCommand) -> None:
    _transact(agent, 1.0)
    _wait_for_state(agent, "reverted")
    assert agent.value() == "60"


def test_what_is_confirmed_stays_and_its_clock_ends(agent: AgentCommand) -> None:
    name = _transact(agent, _AGES_S)
    assert len(_clocks(agent)) == 1

    assert agent.json("confirm", name)["state"] == "committed"

    assert agent.json("confirm", name)["state"] == "committed"
    end = time.monotonic() + _PATIENCE_S
    while _clocks(agent):
        assert time.monotonic() < end
        time.sleep(0.1)
    assert agent.value() == "1"


def test_the_clock_undoes_a_transaction_that_crashed_before_its_end(agent: AgentCommand) -> None:
    name = _transact(agent, _AGES_S)
    journal = agent.tree / "var/lib/sparktune/txn" / name / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))

    end = agent.json("expire", name)

    assert [one["state"] for one in end["undone"]] == ["rolled_back"]
    assert agent.value() == "60"


def test_confirming_too_late_says_so(agent: AgentCommand) -> None:
    name = _transact(agent, _AGES_S)
    agent.run("revert")
    assert agent.json("confirm", name)["state"] == "reverted"
    assert agent.json("confirm", "0009-x")["error"]["kind"] == "transaction"


def test_nothing_is_put_on_top_of_what_is_not_confirmed(agent: AgentCommand) -> None:
    name = _transact(agent, _AGES_S)
    answer = agent.json("transact", agent.write_plan(_STEPS["file"]))
    assert answer["error"]["kind"] == "busy"
    assert name in answer["error"]["message"]
    agent.run("revert")


def test_after_a_reboot_whoever_comes_first_undoes_it(agent: AgentCommand) -> None:
    """The clock went with the boot."""
    _transact(agent, _AGES_S)
    for clock in _clocks(agent):
        os.kill(clock, signal.SIGKILL)
    (agent.tree / "proc/sys/kernel/random/boot_id").write_text("another\n")

    end = agent.json("reapply")

    assert [one["state"] for one in end["recovered"]] == ["reverted"]
    assert agent.value() == "60"  # swappiness lasts, see its step


def test_when_no_clock_can_be_wound_up_nothing_is_done(agent: AgentCommand) -> None:
    """A Python that cannot start another one: here there are no more processes to be had."""
    plan = agent.write_plan(_STEPS["value"], confirm_within_s=_AGES_S)
    script = (
        "import runpy,subprocess,sys\n"
        "def refuse(*a,**k): raise OSError(11,'Resource temporarily unavailable')\n"
        "subprocess.run=refuse\n"
        f"sys.argv={agent.command('--json', 'transact', plan)[2:]!r}\n"
        f"runpy.run_path({str(agent.archive)!r},run_name='__main__')\n"
    )

    done = subprocess.run([agent.command()[0], "-c", script], capture_output=True, text=True, check=False)

    assert done.returncode == 1, done.stderr
    assert "nothing was done" in json.loads(done.stdout)["error"]["message"]
    assert agent.value() == "60"
    assert agent.json("status")["transactions"] == []

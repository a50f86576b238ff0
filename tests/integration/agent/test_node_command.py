"""A node without a controller: whoever sits at it can undo, list and keep what was done, and a playbook can do it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.agent_command import AgentCommand
from tests.support.steps import PID, WORKER, sample_steps, tree_state

_STEPS = sample_steps()


@pytest.fixture
def agent(tmp_path: Path) -> AgentCommand:
    return AgentCommand(tmp_path)


def test_a_plan_is_carried_out_listed_and_undone_by_the_copy_on_the_node(agent: AgentCommand) -> None:
    before = tree_state(agent.tree)

    done = agent.run("transact", agent.write_plan(*_STEPS.values()))

    assert done.returncode == 0, done.stderr
    assert "/proc/sys/vm/swappiness: changed" in done.stdout
    assert tree_state(agent.tree) != before
    agent.archive = agent.tree / "var/lib/sparktune/agent.pyz"
    assert "applied  test by" in agent.run("status").stdout
    assert "/proc/sys/vm/swappiness: '60' -> '1'" in agent.run("journal").stdout
    undone = agent.run("revert")
    assert (undone.returncode, undone.stdout.splitlines()[-1]) == (0, "1 transaction: reverted")
    assert tree_state(agent.tree) == before
    assert agent.run("revert").stdout == "nothing to do\n"


def test_a_playbook_learns_whether_anything_changed(agent: AgentCommand) -> None:
    plan = agent.write_plan(_STEPS["file"], _STEPS["value"])

    first, second = agent.json("transact", plan), agent.json("transact", plan)

    assert (first["code"], first["state"], first["changed"]) == (0, "committed", True)
    assert [sorted(part) for part in first["steps"]] == [["change", "items", "kind", "step"]] * 2
    assert (second["code"], second["state"], second["changed"], second["transaction"]) == (0, "committed", False, "")


def test_a_plan_that_fails_exits_1_and_changes_nothing(agent: AgentCommand) -> None:
    before = tree_state(agent.tree)
    missing = {**_STEPS["value"], "path": "/proc/sys/vm/no_such_thing"}

    end = agent.json("transact", agent.write_plan(_STEPS["file"], missing))

    assert (end["code"], end["state"], end["changed"]) == (1, "rolled_back", True)
    assert "no_such_thing" in end["failed"]
    assert tree_state(agent.tree) == before


def test_edits_of_others_are_left_named_and_exit_3(agent: AgentCommand) -> None:
    agent.run("transact", agent.write_plan(_STEPS["file"], _STEPS["value"]))
    edited = agent.tree / "etc/sysctl.d/99-zz-test.conf"
    edited.write_text("vm.swappiness = 30\n")

    done = agent.run("revert")

    assert done.returncode == 3
    assert "/etc/sysctl.d/99-zz-test.conf: foreign (somebody else changed it since)" in done.stdout
    assert edited.read_text() == "vm.swappiness = 30\n"
    assert agent.value() == "60"


def test_a_void_plan_says_what_has_changed(agent: AgentCommand) -> None:
    plan = agent.write_plan({**_STEPS["value"], "expect": {"/proc/sys/vm/swappiness": "10"}})

    done = agent.run("transact", plan)

    assert (done.returncode, done.stdout) == (1, "")
    assert "from '10' to '60'" in done.stderr
    assert agent.json("transact", plan)["error"]["kind"] == "void"


@pytest.mark.parametrize(
    "arguments", [(), ("undo",), ("confirm",), ("transact", "/no/such/file"), ("transact", "/proc/self/status")]
)
def test_what_cannot_be_understood_exits_2(arguments: tuple[str, ...], agent: AgentCommand) -> None:
    done = agent.run(*arguments)
    assert done.returncode == 2
    assert done.stderr
    assert "Traceback" not in done.stderr


def test_a_plan_without_steps_exits_2(agent: AgentCommand) -> None:
    agent.plan.write_text(json.dumps({"label": "x"}))
    assert agent.run("transact", str(agent.plan)).returncode == 2


def test_options_may_stand_on_either_side_of_the_command(agent: AgentCommand) -> None:
    """A --root that got lost would be this very machine."""
    agent.run("transact", agent.write_plan(_STEPS["value"]))
    before = ("--root", str(agent.tree), "--json", "status")
    after = ("status", "--json", "--root", str(agent.tree))
    for arguments in (before, after):
        command = [*agent.command()[:3], *arguments]
        agent.command = lambda *_arguments, command=command: command  # type: ignore[method-assign]
        (listed,) = json.loads(agent.run().stdout)["transactions"]
        assert listed["state"] == "committed"


def test_reapply_does_again_what_a_boot_has_undone(agent: AgentCommand) -> None:
    agent.run("transact", agent.write_plan({**_STEPS["value"], "reapply": True}))
    (agent.tree / "proc/sys/vm/swappiness").write_text("60\n")

    done = agent.run("reapply")

    assert done.returncode == 0, done.stderr
    assert "done again: applied" in done.stdout
    assert agent.value() == "1"


def test_a_file_whose_mode_somebody_else_has_changed_is_left(agent: AgentCommand) -> None:
    """Its text is still ours, but to put it back would undo what was done for a reason."""
    agent.run("transact", agent.write_plan(_STEPS["file"]))
    edited = agent.tree / "etc/sysctl.d/99-zz-test.conf"
    edited.chmod(0o640)

    assert agent.run("revert").returncode == 3
    assert edited.read_text() == "vm.swappiness = 1\n"
    assert edited.stat().st_mode & 0o777 == 0o640


def test_what_can_never_be_undone_is_given_up_at_the_node_itself(agent: AgentCommand) -> None:
    """With no controller, and never without having been agreed to."""
    agent.run("transact", agent.write_plan(_STEPS["property"], _STEPS["value"]))
    for path in (agent.tree / "commands").glob("systemctl-show-*AllowedCPUs*"):
        path.unlink()
    assert agent.run("revert").returncode == 1
    name = agent.json("status")["transactions"][0]["id"]
    plan = agent.write_plan(_STEPS["value"])
    blocked = agent.run("transact", plan)

    unasked, unasked_json = agent.run("revert", name, "--give-up"), agent.run("--json", "revert", name, "--give-up")
    still = agent.json("status")["transactions"][0]["state"]
    done = agent.run("revert", name, "--give-up", "--yes")

    assert (blocked.returncode, f"revert --give-up {name}" in blocked.stderr) == (1, True)
    assert (unasked.returncode, unasked_json.returncode, still) == (2, 2, "incomplete")
    assert "add --yes" in unasked.stderr
    assert "system.slice AllowedCPUs: not as before" in unasked.stdout
    assert f"txn/{name}/journal.jsonl" in unasked.stdout
    assert done.returncode == 3, done.stderr
    assert "what could not be undone was given up" in done.stdout
    assert "system.slice AllowedCPUs: not as before" in agent.run("status").stdout
    assert agent.run("transact", plan).returncode == 0
    assert agent.run("revert", name, "--give-up", "--yes").returncode == 1
    assert agent.run("revert", "--give-up").returncode == 1


def test_a_device_that_came_since_is_placed_with_the_others_and_put_back_with_them(agent: AgentCommand) -> None:
    """A ConnectX without a cable is not on the bus when the profile is applied; its bind starts this."""
    agent.run("transact", agent.write_plan({**_STEPS["irq"], "vendors": ["0x15b3"]}))
    device = "sys/bus/pci/devices/0002:01:00.0"
    files = {
        f"{device}/vendor": "0x15b3\n",
        f"{device}/class": "0x020000\n",
        f"{device}/msi_irqs/90": "msix\n",
        "proc/irq/90/smp_affinity_list": "0-3\n",
    }
    for path, text in files.items():
        (agent.tree / path).parent.mkdir(parents=True, exist_ok=True)
        (agent.tree / path).write_text(text)

    first, second = agent.run("reapply"), agent.json("reapply")

    assert (first.returncode, "0002:01:00.0#0: changed" in first.stdout) == (0, True), first.stdout
    assert agent.value("/proc/irq/90/smp_affinity_list") == "0-1"
    assert [one["transaction"] for one in second["reapplied"]] == [""]
    assert agent.run("revert").returncode == 0
    assert agent.value("/proc/irq/90/smp_affinity_list") == "0-3"


def test_a_rule_is_followed_by_the_copy_on_the_node(agent: AgentCommand) -> None:
    """The process was down while its rule was made; the timer's next tick gives its thread the CPU, in one line."""
    comm = agent.tree / f"proc/{PID}/task/{WORKER}/comm"
    comm.write_text("not yet\n")
    made = agent.json("transact", agent.write_plan(_STEPS["threads"]))
    idle = agent.run("follow")
    comm.write_text("poller\n")
    agent.archive = agent.tree / "var/lib/sparktune/agent.pyz"

    done, again = agent.run("follow"), agent.json("follow")

    assert (made["code"], made["changed"], made["transaction"] != "") == (0, True, True)
    assert (idle.returncode, idle.stdout, idle.stderr) == (0, "", "")
    line = f"pinned to CPUs 1: thread {PID}/{WORKER} (process/thread), as {made['transaction']} says\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, line, "")
    assert (again["code"], again["state"], again["followed"]) == (0, "nothing", [])
    assert agent.run("revert").stdout.splitlines()[-1] == "2 transactions: reverted"


def test_a_look_for_threads_loads_next_to_nothing(agent: AgentCommand) -> None:
    """It is done every few seconds for ever: modules that it does not need would cost ten times what it costs."""
    code = f"import sys; sys.path.insert(0, {str(agent.archive)!r}); import sparktune.agent.follow; print(*sys.modules)"
    command = [sys.executable, "-I", "-S", "-c", code]
    loaded = set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    ours = {name for name in loaded if name.startswith("sparktune")}
    assert ours == {"sparktune", "sparktune.agent", "sparktune.agent.follow", "sparktune.agent.thread_rules"}
    assert not loaded & {"argparse", "typing", "dataclasses", "subprocess", "importlib.metadata", "hashlib"}

"""A node with a real systemd is changed, rebooted and put back; what nobody confirms, and what a crash left, it undoes.

A bug here costs people a machine that they cannot reach. In other tests a tree stands for systemd, udev and sysctl;
these are the programs themselves.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.kernel import interrupts_of, spare_device
from tests.support.nspawn import AGENT, EFFICIENCY, NAME, BootedNode

from sparktune.errors import ExitCode
from sparktune.host.step_json import encode_steps
from sparktune.io.plan_file import load_plans
from sparktune.io.transport.package import agent_archive

# The first one may have to make the tree of the node, which downloads a small Debian.
pytestmark = [pytest.mark.root, pytest.mark.timeout(900)]

_AGENT = f"python3 {AGENT}"
_SYSCTL_FILE = "etc/sysctl.d/99-zz-sparktune.conf"
_SWAPPINESS = Path("/proc/sys/vm/swappiness")


def _flags() -> tuple[str, ...]:
    device = spare_device()
    return ("--mode", "classic", *(("--irq-device", device) if device else ()))


def _host(*words: str) -> tuple[int, dict[str, Any]]:
    """Run ``sparktune host``; return its exit code, and what it says of the one node."""
    command = (sys.executable, "-m", "sparktune", "host", *words, "--nodes", NAME, "--json", "--quiet")
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stdout, done.stderr
    (report,) = json.loads(done.stdout)["nodes"]
    assert report["error"] is None, report
    return done.returncode, report


def _statuses(report: dict[str, Any]) -> dict[str, set[str]]:
    """Return the statuses of the checks of each change."""
    found: dict[str, set[str]] = {}
    for check in report["checks"]:
        found.setdefault(check["change"], set()).add(check["status"])
    return found


def _outcomes(undone: list[dict[str, Any]]) -> dict[str, str]:
    """Return what became of each item that was to be put back."""
    return {
        item: said["outcome"]
        for transaction in undone
        for step in transaction["steps"]
        for item, said in step["items"].items()
    }


def _affinity(node: BootedNode, process: str) -> str:
    return node.run(f"sed -n 's/^Cpus_allowed_list:\\s*//p' /proc/{process}/status").strip()


def test_a_profile_outlives_a_reboot_and_a_revert_leaves_nothing_of_it(node: BootedNode) -> None:
    """The round that every user makes: plan, apply, reboot, verify, revert, reboot."""
    code, planned = _host("plan", *_flags())
    assert (code, planned["refusals"]) == (ExitCode.DIFFERENCES, [])

    code, applied = _host("apply", "--yes", *_flags())
    assert (code, applied["state"]) == (ExitCode.DONE, "applied")
    assert "PENDING_REBOOT" in _statuses(applied)["default-target"]
    assert _affinity(node, "1") == str(EFFICIENCY)
    assert _SWAPPINESS.read_text(encoding="ascii") == "1\n"
    assert set(interrupts_of(spare_device()).values()) <= {str(EFFICIENCY)}
    code, again = _host("plan", *_flags())
    assert (code, again["steps"]) == (ExitCode.DONE, []), "a plan after apply has nothing to do"

    before = node.boot_id()
    node.reboot()
    assert node.boot_id() != before
    code, verified = _host("verify")
    assert {change for change, found in _statuses(verified).items() if "PENDING_REBOOT" in found} == set()
    assert _statuses(verified)["manager-affinity"] == {"OK"}
    assert _statuses(verified)["sysctl"] == {"OK"}
    assert _affinity(node, "1") == str(EFFICIENCY)
    assert node.run("systemctl get-default").strip() == "multi-user.target"
    assert node.run("systemctl is-active graphical.target || true").strip() == "inactive"
    assert _SWAPPINESS.read_text(encoding="ascii") == "1\n"
    assert set(interrupts_of(spare_device()).values()) <= {str(EFFICIENCY)}, "masks are set again at boot"

    code, reverted = _host("revert", "--yes")
    assert (code, reverted["state"]) == (ExitCode.DONE, "reverted")
    assert node.kernel.differing() == {}
    assert _affinity(node, "1") == "0-1", "what starts from now on does not wait for a boot to get all cores"
    node.reboot()
    assert node.kernel.differing() == {}
    assert _affinity(node, "1") == "0-1"
    assert node.run("systemctl get-default").strip() == "graphical.target"
    code, status = _host("status")
    assert code == ExitCode.DONE
    assert {one["state"] for one in status["transactions"]} <= {"reverted", "rolled_back"}


def test_the_units_and_rules_are_what_systemd_and_udev_accept(node: BootedNode) -> None:
    """What systemd does not understand it passes over, and says so only in its log."""
    _host("apply", "--yes", *_flags())
    units = node.run("ls -d /etc/systemd/system/sparktune-*").split()
    assert units
    complaints = node.run(f"systemd-analyze verify --man=no {' '.join(units)} 2>&1 | grep -i sparktune || true")
    assert complaints == ""
    rules = node.run("cat /etc/udev/rules.d/*sparktune*.rules")
    assert "sparktune-reapply" in rules
    complaints = node.run(
        "udevadm control --reload; journalctl -b -u systemd-udevd --no-pager | grep sparktune || true"
    )
    assert complaints == ""
    assert node.run("systemctl --failed --no-legend").strip() == ""
    code, _reverted = _host("revert", "--yes")
    assert code == ExitCode.DONE


def test_systemd_itself_gets_its_cores_back_without_a_reboot(node: BootedNode) -> None:
    """A daemon-reload, of anybody, moves PID 1 when a file says so, and none moves it back when the file is gone."""
    assert _affinity(node, "1") == "0-1"
    _host("apply", "--yes", *_flags())
    node.run("systemctl daemon-reload")
    assert _affinity(node, "1") == str(EFFICIENCY)

    code, _reverted = _host("revert", "--yes")

    assert code == ExitCode.DONE
    node.run("systemctl daemon-reload")
    assert _affinity(node, "1") == "0-1"


def test_a_device_that_comes_back_gets_its_cpus_again(node: BootedNode) -> None:
    """Adapters are unplugged and drivers reloaded; the interrupts then have new numbers and the default CPUs."""
    device = spare_device()
    if not device:
        pytest.skip("needs a virtio entropy source, whose driver can be taken off and put back")
    _host("apply", "--yes", *_flags())
    driver = Path("/sys/bus/pci/drivers/virtio-pci")

    (driver / "unbind").write_text(device, encoding="ascii")
    (driver / "bind").write_text(device, encoding="ascii")
    while set(interrupts_of(device).values()) != {str(EFFICIENCY)}:
        pass  # the rule starts a timer of some seconds; never is a timeout of this test

    code, _reverted = _host("revert", "--yes")
    assert code == ExitCode.DONE
    assert set(interrupts_of(device).values()) == {"0-1"}
    left = node.run("systemctl list-units --state=active,failed --no-legend 'sparktune-*'")
    assert left.strip() == "", "a later pass would fail"


def test_a_file_that_somebody_edited_is_kept_and_named(node: BootedNode) -> None:
    """Taking back never overwrites what an administrator wrote."""
    _host("apply", "--yes", *_flags())
    file = node.root / _SYSCTL_FILE
    edited = file.read_text(encoding="utf-8") + "vm.dirty_ratio = 10\n"
    file.write_text(edited, encoding="utf-8")

    code, reverted = _host("revert", "--yes")

    assert code == ExitCode.DIFFERENCES
    assert file.read_text(encoding="utf-8") == edited
    outcomes = _outcomes(reverted["undone"])
    assert {item for item, outcome in outcomes.items() if outcome == "foreign"} == {f"/{_SYSCTL_FILE}"}
    assert _SWAPPINESS.read_text(encoding="ascii") == f"{node.kernel.values[_SWAPPINESS].strip()}\n"
    file.unlink()


@pytest.fixture(name="by_hand")
def _by_hand(node: BootedNode, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Put the agent on the node, as a playbook does, and return the request that a plan comes to."""
    saved = tmp_path / "plan.json"
    _host("plan", *_flags(), "--save", str(saved))
    plan = load_plans(saved)[NAME]
    (node.root / "srv/agent.pyz").write_bytes(agent_archive())
    yield {"label": "by hand", "boot_id": plan.boot_id, "profile": {}, "steps": encode_steps(plan)}
    for name in ("agent.pyz", "plan.json"):
        (node.root / "srv" / name).unlink(missing_ok=True)


def _give(node: BootedNode, request: dict[str, Any]) -> None:
    (node.root / "srv/plan.json").write_text(json.dumps(request), encoding="utf-8")


def test_what_nobody_confirms_is_undone_by_the_node_itself(node: BootedNode, by_hand: dict[str, Any]) -> None:
    """The connection may be what the change has cost: nobody can be asked."""
    for within_s in (3600.0, 2.0):
        _give(node, {**by_hand, "confirm_within_s": within_s})
        done = json.loads(node.run("python3 /srv/agent.pyz --json transact /srv/plan.json"))
        assert done["state"] == "unconfirmed"
        if within_s > 60.0:  # a shorter one may be over before anybody has looked
            assert "sparktune" in node.run("systemctl list-timers --all --no-legend | grep sparktune")
            node.run(f"{_AGENT} --json revert")

    while json.loads(node.run(f"{_AGENT} --json journal"))["transactions"][-1]["state"] != "reverted":
        pass  # never is a timeout of this test


def test_a_reboot_before_the_confirmation_undoes_it_too(node: BootedNode, by_hand: dict[str, Any]) -> None:
    """The clock that would have undone it went with the boot; the unit that runs at boot looks after it."""
    _give(node, {**by_hand, "confirm_within_s": 3600.0})
    node.run("python3 /srv/agent.pyz --json transact /srv/plan.json")

    node.reboot()

    while json.loads(node.run(f"{_AGENT} --json journal"))["transactions"][-1]["state"] != "reverted":
        pass  # the unit runs while the boot goes on
    node.reboot()  # what was read at this boot, the default target among it, is as before at the next


def test_an_agent_that_was_killed_is_undone_on_the_node_alone(node: BootedNode, by_hand: dict[str, Any]) -> None:
    """Power and memory go when they go; no controller is needed to get back."""
    slow = node.root / "etc/systemd/system/slow.service"
    slow.write_text("[Service]\nType=oneshot\nExecStart=/bin/sleep infinity\n")
    node.run("systemctl daemon-reload")
    wait = {"kind": "service", "change": "slow", "unit": "slow.service", "do": "start", "expect": {}}
    _give(node, {**by_hand, "steps": [*by_hand["steps"], wait]})
    # The last step hangs: the agent is killed in the middle of it, with all others done.
    node.run("systemd-run --quiet --unit=killed python3 /srv/agent.pyz transact /srv/plan.json")
    while node.run("systemctl is-active slow.service || true").strip() != "activating":
        pass
    node.run("systemctl kill --kill-whom=all --signal=KILL killed.service")
    while node.run("systemctl is-active killed.service || true").strip() == "active":
        pass
    assert _SWAPPINESS.read_text(encoding="ascii") == "1\n"

    said = json.loads(node.run(f"{_AGENT} --json revert"))

    assert said["state"] == "reverted"
    assert set(_outcomes(said["undone"]).values()) <= {"restored", "already"}
    node.run("systemctl stop slow.service; systemctl reset-failed")
    slow.unlink()
    node.run("systemctl daemon-reload")

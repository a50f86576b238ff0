"""What ``host export --ansible`` writes, run by a real ansible-playbook on a node with a real systemd."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.kernel import interrupts_of, spare_device
from tests.support.nspawn import AGENT, EFFICIENCY, NAME, BootedNode

# The first one may have to make the tree of the node, which downloads a small Debian.
pytestmark = [pytest.mark.root, pytest.mark.slow, pytest.mark.timeout(900)]

_SWAPPINESS = Path("/proc/sys/vm/swappiness")


@pytest.fixture(name="playbooks")
def _playbooks(node: BootedNode, tmp_path: Path) -> Path:
    """Export the plan of the node."""
    device = spare_device()
    flags = ("--mode", "classic", *(("--irq-device", device) if device else ()))
    return _exported(node, tmp_path / "ansible", *flags)


def _exported(node: BootedNode, folder: Path, *flags: str) -> Path:
    command = (
        sys.executable,
        "-m",
        "sparktune",
        "host",
        "export",
        "--ansible",
        str(folder),
        "--nodes",
        node.name,
        *flags,
    )
    subprocess.run(command, check=True, capture_output=True, env=os.environ)
    return folder


def _play(node: BootedNode, playbook: Path) -> tuple[int, dict[str, int], str]:
    """Run a playbook; return its exit code, the counts of its recap, and what it printed."""
    program = Path(sys.executable).with_name("ansible-playbook")
    if not program.exists():
        pytest.skip("needs ansible-core (make test-system installs it)")
    control = node.folder / "sparktune-ansible"  # whose connections are closed with the node
    control.mkdir(exist_ok=True)
    done = subprocess.run(
        node.beside(str(program), "-i", str(playbook.with_name("inventory.yml")), str(playbook)),
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "ANSIBLE_HOME": str(playbook.parent / "home"),
            "ANSIBLE_SSH_ARGS": f"-F {node.ssh_config} -o ControlMaster=auto -o ControlPersist=60",
            "ANSIBLE_SSH_CONTROL_PATH": f"{control}/%%C",
            "ANSIBLE_PIPELINING": "1",
            # What Ansible itself would leave in root's home is not what is tested.
            "ANSIBLE_REMOTE_TMP": "/tmp/ansible",  # noqa: S108 - on the node
            "ANSIBLE_NOCOLOR": "1",
            "LC_ALL": "C.UTF-8",
        },
    )
    recap = re.search(rf"^{NAME} .*$", done.stdout[done.stdout.rfind("PLAY RECAP") :], re.MULTILINE)
    assert recap, done.stdout + done.stderr
    counts = {name: int(count) for name, count in re.findall(r"(\w+)=(\d+)", recap[0])}
    return done.returncode, counts, done.stdout + done.stderr


def test_a_playbook_changes_once_and_takes_back_once(node: BootedNode, playbooks: Path) -> None:
    """A fleet is kept by running the same playbook again and again: a change is reported when there was one."""
    code, first, said = _play(node, playbooks / "apply.yml")
    assert (code, first["changed"], first["failed"]) == (0, 1, 0), said
    assert "vm/swappiness: changed" in said
    assert _SWAPPINESS.read_text(encoding="ascii") == "1\n"
    assert set(interrupts_of(spare_device()).values()) <= {str(EFFICIENCY)}
    code, second, said = _play(node, playbooks / "apply.yml")
    assert (code, second["changed"], second["failed"]) == (0, 0, 0), said

    node.reboot()
    code, third, said = _play(node, playbooks / "apply.yml")
    assert (code, third["changed"], third["failed"]) == (0, 0, 0), said

    code, reverted, said = _play(node, playbooks / "revert.yml")
    assert (code, reverted["changed"], reverted["failed"]) == (0, 1, 0), said
    code, again, said = _play(node, playbooks / "revert.yml")
    assert (code, again["changed"], again["failed"]) == (0, 0, 0), said


def test_a_node_that_is_no_longer_as_planned_is_left_and_says_why(node: BootedNode, playbooks: Path) -> None:
    """Between the export and the run somebody else may have worked there."""
    file = node.root / "etc/sysctl.d/99-zz-sparktune.conf"
    file.write_text("vm.swappiness = 30\n")
    before = node.tree()

    code, counts, said = _play(node, playbooks / "apply.yml")

    assert (code != 0, counts["failed"], counts["changed"]) == (True, 1, 0), said
    assert "/etc/sysctl.d/99-zz-sparktune.conf has changed since the plan was made" in said
    assert node.tree() == before
    file.unlink()


def test_what_somebody_edited_is_left_and_named(node: BootedNode, playbooks: Path) -> None:
    """Taking back is a success then, with a remainder that a person has to see."""
    _play(node, playbooks / "apply.yml")
    file = node.root / "etc/sysctl.d/99-zz-sparktune.conf"
    file.write_text("vm.swappiness = 30\n")

    code, counts, said = _play(node, playbooks / "revert.yml")

    assert (code, counts["changed"], counts["failed"]) == (0, 1, 0), said
    assert "/etc/sysctl.d/99-zz-sparktune.conf: left as it is" in said
    assert file.read_text() == "vm.swappiness = 30\n"
    file.unlink()


def test_what_may_cost_the_connection_is_confirmed_over_a_new_one(node: BootedNode, tmp_path: Path) -> None:
    """Else the node would take it all back two minutes after a play that said it was well."""
    key = "net.ipv4.conf.all.accept_local"  # of the node's own network
    flags = ("--sysctl", f"{key}=1", "--without", "slices,irq-affinity,reapply,workqueue,default-target")
    folder = _exported(node, tmp_path / "ansible", *flags)
    assert '"confirm_within_s": 120.0' in (folder / f"plans/{NAME}.json").read_text()

    code, counts, said = _play(node, folder / "apply.yml")

    assert (code, counts["changed"], counts["failed"]) == (0, 1, 0), said
    assert "Keep what the node would undo by itself otherwise" in said
    (transaction,) = json.loads(node.run(f"python3 -I {AGENT} --json status"))["transactions"][-1:]
    assert (transaction["state"], transaction["label"]) == ("committed", "ansible")
    assert "sparktune-expire" not in node.run("systemctl list-units --all --no-legend 'sparktune-expire-*'")
    assert node.run(f"sysctl -n {key}").strip() == "1"
    code, again, said = _play(node, folder / "apply.yml")
    assert (code, again["changed"], again["failed"]) == (0, 0, 0), said
    assert _play(node, folder / "revert.yml")[1]["changed"] == 1
    assert node.run(f"sysctl -n {key}").strip() == "0"

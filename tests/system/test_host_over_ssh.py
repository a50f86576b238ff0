"""Changes over a real sshd, by a user who is not root: with sudo that asks nothing they are made, else nothing is.

What the node's agent touches (its journal, its lock, a folder of settings, the rules of sudo) is laid over what the
machine has, in a mount namespace that only the test's processes see.
"""

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.support.plans import plan_of
from tests.support.sshd import Node, Sshd, sshd

from sparktune.errors import ExitCode
from sparktune.flows.host.verbs import apply_plans, revert_nodes, status_nodes, verify_nodes
from sparktune.host.changes import all_changes
from sparktune.io.cluster import NodeTarget
from sparktune.model.host_plan import NodePlan
from sparktune.model.node_report import NodeState
from sparktune.model.profile import Profile
from sparktune.model.step import FileStep

pytestmark = pytest.mark.root

_USER = "nobody"
_RULES = {
    "free": f"root ALL=(ALL) ALL\n{_USER} ALL=(ALL) NOPASSWD: ALL\n",
    "password": f"root ALL=(ALL) ALL\n{_USER} ALL=(ALL) ALL\n",
}
_FILE = FileStep(path="/etc/sysctl.d/99-zz-sparktune.conf", text="# of a test\n", expect={})
_NO_CHANGES = Profile(without=tuple(change.id for change in all_changes()))


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """``etc`` and ``lib`` are what the nodes have for /etc/sysctl.d and /var/lib."""

    server: Sshd
    etc: Path
    lib: Path


def _force(folder: Path, rules: str) -> str:
    """Return the shell command behind a node: what was asked, as another user, where the folders are the test's.

    It calls itself as its rules: two of one name and one kernel are taken for one host.
    """
    over = {"lib": "/var/lib", "lock": "/run/lock", "etc": "/etc/sysctl.d", rules: "/etc/sudoers"}
    mounts = " && ".join(f"mount --bind {folder / name} {place}" for name, place in over.items())
    asked = f'setpriv --reuid={_USER} --regid=nogroup --clear-groups sh -c "$SSH_ORIGINAL_COMMAND"'
    return f"exec unshare --mount --uts sh -c 'hostname {rules} && {mounts} && exec {asked}'"


@pytest.fixture(name="world")
def _world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="spark-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        for part in ("lib", "lock", "etc"):
            (folder / part).mkdir()
        for rule, text in _RULES.items():
            (folder / rule).write_text(text)
            (folder / rule).chmod(0o440)
        with sshd({rule: Node(force=_force(folder, rule)) for rule in _RULES}) as server:
            monkeypatch.setenv("SPARKTUNE_SSH", server.ssh)
            monkeypatch.setenv("XDG_RUNTIME_DIR", str(server.folder))
            yield World(server=server, etc=folder / "etc", lib=folder / "lib")


def _node(name: str) -> tuple[NodeTarget, ...]:
    return (NodeTarget(name=name, host=name),)


def _plan(name: str) -> dict[str, NodePlan]:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return {name: replace(plan_of(_FILE, node=name, boot_id=boot), profile=_NO_CHANGES)}


def test_a_user_with_sudo_changes_a_node_and_takes_it_back(world: World) -> None:
    """The journal is root's alone, and so is what it puts in place; afterwards nothing is left but the journal."""
    here = _node("free")

    applied = apply_plans(here, _plan("free"), who="ada@laptop", confirm_within_s=3600.0)

    assert applied.exit_code is ExitCode.DONE, applied.reports
    assert applied.reports[0].state is NodeState.APPLIED
    file = world.etc / Path(_FILE.path).name
    assert file.read_text() == _FILE.text
    assert (file.stat().st_uid, file.stat().st_mode & 0o777) == (0, 0o644)
    assert (world.lib / "sparktune").stat().st_mode & 0o777 == 0o700
    (transaction,) = status_nodes(here).reports[0].transactions
    assert (transaction.who, transaction.state) == ("ada@laptop", "committed")

    reverted = revert_nodes(here, who="ada@laptop")

    assert reverted.exit_code is ExitCode.DONE, reverted.reports
    assert not file.exists()


def test_a_confirmation_has_a_connection_of_its_own(world: World) -> None:
    """The one that ssh keeps open would prove nothing."""
    apply_plans(_node("free"), _plan("free"), who="me", confirm_within_s=3600.0)

    assert len(re.findall("Accepted publickey", world.server.log())) == 2


def test_a_user_whom_sudo_would_ask_is_told_before_anything_is_done(world: World) -> None:
    here = (*_node("free"), *_node("password"))

    outcome = apply_plans(here, _plan("free") | _plan("password"), who="me")

    free, password = outcome.reports
    assert outcome.exit_code is ExitCode.FAILED
    assert "sudo would ask for a password" in password.failure
    assert "NOPASSWD" in password.hint
    assert (free.state, password.state) == (NodeState.UNTOUCHED, NodeState.UNTOUCHED)
    assert not list(world.etc.iterdir())
    assert not (world.lib / "sparktune").exists()


def test_without_root_a_profile_is_verified_and_the_journal_is_said_to_be_closed(world: World) -> None:
    """What needs no root is answered; what only the journal knows is not made up."""
    (world.lib / "sparktune").mkdir(mode=0o700)

    (unnamed,) = verify_nodes(_node("password")).reports
    (named,) = verify_nodes(_node("password"), _NO_CHANGES).reports

    assert "sudo would ask for a password" in unnamed.failure
    assert not named.failure
    assert named.checks == ()
    assert "what was applied here before is not known: needs root" in named.notes[0]
    assert named.state is NodeState.UNKNOWN

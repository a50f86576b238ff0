"""Where the system's work runs on a made-up node, through the real agent: in both modes, over a boot, and undone."""

import shutil
from pathlib import Path

import pytest
from tests.support.host_trees import tree_hash

from sparktune.errors import ExitCode
from sparktune.flows.host.verbs import apply_plans, plan_nodes, revert_nodes, verify_nodes
from sparktune.host.boot_target import SHOW_TARGETS
from sparktune.host.changes import all_changes
from sparktune.host.facts.containers import SOURCE as CONTAINERS
from sparktune.host.lab.node import LabNode, node_tree
from sparktune.host.lab.tree import NodeTree, merge
from sparktune.io.cluster import NodeTarget
from sparktune.io.lab import _write_tree
from sparktune.model.host_plan import CheckStatus, HostCheck, NodePlan
from sparktune.model.node_report import NodeState
from sparktune.model.profile import Mode, Profile
from sparktune.model.reads import ReadCommand

_SUBJECT = {"slices", "manager-affinity", "default-target", "isolate", "fast-core-residents"}
_WITHOUT = tuple(change.id for change in all_changes() if change.id not in _SUBJECT)
_STAT = "{} ({}) S 1 1 1 0 -1 {} 0 0 0 0 0 0 0 0 20 0 1 0 7" + 15 * " 0" + " 17 6 0 0 0 0 0\n"
_STATUS = "Name:\t{}\nCpus_allowed:\tfffff\nCpus_allowed_list:\t0-19\n"
_INSPECT = next(read.argv for read in CONTAINERS.reads if isinstance(read, ReadCommand))
_BOOT_ID = "/proc/sys/kernel/random/boot_id"
_SLOW = "0-4,10-14"


def _process(pid: int, name: str, group: str, flags: int = 0x400100) -> dict[str, str]:
    return {
        f"/proc/{pid}/status": _STATUS.format(name),
        f"/proc/{pid}/task/{pid}/status": _STATUS.format(name),
        f"/proc/{pid}/task/{pid}/stat": _STAT.format(pid, name, flags),
        f"/proc/{pid}/cgroup": f"0::{group}\n",
    }


@pytest.fixture(name="node")
def _node(tmp_path: Path) -> NodeTarget:
    """Return a node with a desktop and a few programs, whose container of inference is in inference.slice."""
    group = f"/inference.slice/docker-{'5a' * 32}.scope"
    files = {
        **_process(1, "systemd", "/init.scope"),
        **_process(15, "rcu_preempt", "/", 0x208040),
        **_process(700, "dockerd", "/system.slice/docker.service"),
        **_process(900, "bash", "/user.slice/user-1000.slice/session-3.scope"),
        **{f"/proc/{pid}/cgroup": f"0::{group}\n" for pid in (41_822, 42_101, 42_377)},
        "/sys/fs/cgroup/cpuset.cpus.effective": "0-19\n",
        "/sys/fs/cgroup/system.slice/docker.service/cgroup.procs": "700\n",
        "/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope/cgroup.procs": "900\n",
        "/sys/fs/cgroup/inference.slice/cpuset.cpus.effective": "0-19\n",
        f"/sys/fs/cgroup{group}/cpuset.cpus.effective": "5-9,15-19\n",
    }
    return _written(
        tmp_path / "spark1",
        NodeTree(
            files=files,
            links={"/etc/systemd/system/default.target": "/usr/lib/systemd/system/graphical.target"},
            commands={
                ("systemctl", "get-default"): "graphical.target\n",
                SHOW_TARGETS: "Id=graphical.target\nActiveState=active\n\nId=multi-user.target\nActiveState=active\n",
            },
        ),
    )


def _written(folder: Path, over: NodeTree) -> NodeTarget:
    """Write a healthy GB10 that serves, with something laid over it."""
    folder.mkdir()
    _write_tree(folder, merge(node_tree(LabNode(last=11)), over))
    return NodeTarget(name=folder.name, root=folder)


def _path(node: NodeTarget, path: str) -> Path:
    assert node.root is not None
    return node.root / path.lstrip("/")


def _plan(node: NodeTarget, profile: Profile) -> NodePlan:
    (planned,) = plan_nodes((node,), profile).reports
    assert planned.plan is not None, planned
    return planned.plan


def _apply(node: NodeTarget, profile: Profile) -> None:
    plan = _plan(node, profile)
    assert plan.refusals == ()
    (report,) = apply_plans((node,), {node.name: plan}, who="me").reports
    assert report.state is NodeState.APPLIED, report


def _checks(node: NodeTarget) -> dict[str, HostCheck]:
    (report,) = verify_nodes((node,)).reports
    assert report.checks is not None, report
    return {check.target: check for check in report.checks}


def _not_ok(node: NodeTarget) -> dict[str, CheckStatus]:
    return {target: check.status for target, check in _checks(node).items() if check.status is not CheckStatus.OK}


def _allowed(node: NodeTarget, pid: int) -> str:
    text = _path(node, f"/proc/{pid}/task/{pid}/status").read_text()
    return text.partition("Cpus_allowed_list:\t")[2].splitlines()[0]


def _boot(node: NodeTarget, boot: str, manager: str) -> None:
    """Do what a boot does to the masks that PID 1 and its children inherit."""
    _path(node, _BOOT_ID).write_text(f"{boot}\n")
    for pid in (1, 700, 900):
        for path in (f"/proc/{pid}/status", f"/proc/{pid}/task/{pid}/status"):
            file = _path(node, path)
            mask = {_SLOW: "07c1f", "0-19": "fffff"}[manager]
            lines = f"Cpus_allowed:\t{mask}\nCpus_allowed_list:\t{manager}\n"
            file.write_text(file.read_text().partition("Cpus_allowed:")[0] + lines)


def test_slices_are_narrowed_at_once_and_put_back(node: NodeTarget) -> None:
    before = tree_hash(_path(node, "/"))
    profile = Profile(without=_WITHOUT)

    _apply(node, profile)

    assert [_allowed(node, pid) for pid in (1, 15, 700, 900)] == [_SLOW, "0-19", _SLOW, _SLOW]
    assert _allowed(node, 41_822) == "5-9,15-19"
    assert _plan(node, profile).steps == ()
    assert _not_ok(node) == {"graphical.target": CheckStatus.PENDING_REBOOT}
    assert _checks(node)["threads of the kernel on performance cores"].status is CheckStatus.OK
    assert revert_nodes((node,), who="me").exit_code is ExitCode.DONE
    assert tree_hash(_path(node, "/")) == before
    assert _not_ok(node) == {}


def test_after_a_boot_undone_slices_have_their_cores_at_once(node: NodeTarget) -> None:
    """The boot gave them their cores from files; taking these away alone does not widen a slice that runs."""
    before = _allowed(node, 1)
    _apply(node, Profile(without=_WITHOUT))
    shutil.rmtree(_path(node, "/run/systemd/system.control"))
    _boot(node, "00000000-0000-4000-8000-000000000002", _SLOW)
    assert _not_ok(node) == {"graphical.target": CheckStatus.DIFFERENT}, "here a desktop runs, and nobody started it"

    revert_nodes((node,), who="me")

    assert _not_ok(node) == {}
    assert _allowed(node, 1) == before


def test_what_has_a_mask_from_its_start_waits_for_a_boot_both_ways(node: NodeTarget) -> None:
    """Only PID 1 itself is moved at once, and back at once; what it started keeps what it had until a boot."""
    before = tree_hash(_path(node, "/"))
    profile = Profile(mode=Mode.CLASSIC, without=_WITHOUT)

    _apply(node, profile)
    pending = {name for name, status in _not_ok(node).items() if status is CheckStatus.PENDING_REBOOT}
    assert pending == {"graphical.target", "other programs on performance cores"}
    assert [_allowed(node, pid) for pid in (1, 700)] == [_SLOW, "0-19"]
    assert _plan(node, profile).steps == ()

    _boot(node, "00000000-0000-4000-8000-000000000002", _SLOW)
    assert _not_ok(node) == {"graphical.target": CheckStatus.DIFFERENT}, "here a desktop runs, and nobody started it"

    assert revert_nodes((node,), who="me").exit_code is ExitCode.DONE
    assert [_allowed(node, pid) for pid in (1, 700)] == ["0-19", _SLOW]
    _boot(node, "00000000-0000-4000-8000-000000000001", "0-19")
    assert _not_ok(node) == {}
    assert tree_hash(_path(node, "/")) == before


def test_what_runs_is_moved_and_put_back(node: NodeTarget) -> None:
    before = tree_hash(_path(node, "/"))
    profile = Profile(mode=Mode.CLASSIC, move_running=True, isolate_now=True, without=_WITHOUT)

    _apply(node, profile)

    assert [_allowed(node, pid) for pid in (1, 15, 700, 900)] == [_SLOW, "0-19", _SLOW, _SLOW]
    assert _allowed(node, 42_377) == "5-9,15-19"
    assert _plan(node, profile).steps == ()
    assert _not_ok(node) == {}
    assert revert_nodes((node,), who="me").exit_code is ExitCode.DONE
    assert [_allowed(node, pid) for pid in (1, 700, 900)] == ["0-19"] * 3
    assert tree_hash(_path(node, "/")) == before


def test_an_administrators_file_is_neither_touched_nor_lost(node: NodeTarget) -> None:
    """Its lines would be added to ours: they are cleared, not deleted."""
    file = _path(node, "/etc/systemd/system.conf.d/cpu-affinity.conf")
    file.parent.mkdir(parents=True)
    file.write_text("[Manager]\nCPUAffinity=0-19\n")
    profile = Profile(mode=Mode.CLASSIC, without=_WITHOUT)

    for _twice in range(2):
        plan = _plan(node, profile)
        apply_plans((node,), {node.name: plan}, who="me")
    assert _checks(node)["CPUAffinity= in files"].status is CheckStatus.OK
    revert_nodes((node,), who="me")

    assert file.read_text() == "[Manager]\nCPUAffinity=0-19\n"
    assert [path.name for path in file.parent.iterdir()] == ["cpu-affinity.conf"]


def test_a_container_below_system_slice_refuses_the_plan(tmp_path: Path) -> None:
    node = _written(tmp_path / "spark2", NodeTree())
    before = tree_hash(_path(node, "/"))

    plan = _plan(node, Profile(without=_WITHOUT))

    assert [(refusal.change, refusal.allow) for refusal in plan.refusals] == [("slices", "--allow-slow")]
    assert tree_hash(_path(node, "/")) == before

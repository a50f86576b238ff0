"""Memory settings, compose files, containers and earlyoom of a made-up node, through the real agent."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.host_trees import tree_hash, write_node

from sparktune.errors import ExitCode
from sparktune.flows.host.verbs import apply_plans, plan_nodes, revert_nodes, verify_nodes
from sparktune.host.lab.engine import Engine, engine_tree
from sparktune.host.lab.system import System, system_tree
from sparktune.host.lab.tree import NodeTree, merge
from sparktune.io.cluster import NodeTarget
from sparktune.model.host_plan import CheckStatus, HostCheck, NodePlan
from sparktune.model.node_report import NodeState
from sparktune.model.profile import EarlyoomStance, IrqPolicy, Mode, Profile

_COMPOSE = "/srv/vllm/compose.yaml"
_TEXT = "services:\r\n  vllm:\r\n    image: vllm/vllm-openai:lab # mine\r\n"
_SYSCTL = "/etc/sysctl.d/99-zz-sparktune.conf"
_LINK = "/etc/systemd/system/multi-user.target.wants/earlyoom.service"
_UNIT = "/usr/lib/systemd/system/earlyoom.service"
_OTHERS = (
    "irqbalance",
    "workqueue",
    "manager-affinity",
    "running-tasks",
    "slices",
    "default-target",
    "isolate",
)
_PROFILE = Profile(
    mode=Mode.CLASSIC,
    irq=IrqPolicy.LEAVE,
    compose_files=(_COMPOSE,),
    earlyoom=EarlyoomStance.STOP,
    without=(*_OTHERS, "fast-core-residents"),
)


@pytest.fixture(name="node")
def _node(tmp_path: Path) -> NodeTarget:
    base = merge(engine_tree(Engine(allowed="0-19", cpuset="")), system_tree(System(earlyoom="-m 2 -s 80"), ()))
    commands = {argv: text for argv, text in base.commands.items() if argv[0] == "docker" or "earlyoom" in str(argv)}
    kept = {path: text for path, text in base.files.items() if path.startswith(("/proc/4", "/sys/fs/cgroup", "/etc"))}
    files = {**kept, _COMPOSE: _TEXT, "/proc/sys/vm/swappiness": "10\n"}
    target = write_node(tmp_path / "spark1", over=NodeTree(files=files, links={_LINK: _UNIT}, commands=commands))
    _path(target, _COMPOSE).write_bytes(_TEXT.encode())
    _path(target, _COMPOSE).chmod(0o600)
    return target


def _path(node: NodeTarget, path: str) -> Path:
    assert node.root is not None
    return node.root / path.lstrip("/")


def _plan(node: NodeTarget, profile: Profile = _PROFILE) -> NodePlan:
    (planned,) = plan_nodes((node,), profile).reports
    assert planned.plan is not None, planned
    return planned.plan


def _apply(node: NodeTarget) -> None:
    plan = _plan(node)
    assert plan.refusals == ()
    (report,) = apply_plans((node,), {node.name: plan}, who="me").reports
    assert report.state is NodeState.APPLIED, report


def _checks(node: NodeTarget) -> list[HostCheck]:
    (report,) = verify_nodes((node,)).reports
    assert report.checks is not None, report
    return list(report.checks)


def test_all_of_it_is_done_verified_and_undone(node: NodeTarget) -> None:
    before = tree_hash(_path(node, "/"))
    _apply(node)

    assert _path(node, _COMPOSE).read_bytes() == _TEXT.encode() + b'    cpuset: "5-9,15-19"\r\n'
    assert _path(node, _COMPOSE).stat().st_mode & 0o777 == 0o600
    assert _path(node, "/proc/sys/vm/swappiness").read_text().strip() == "1"
    assert "vm.swappiness = 1\n" in _path(node, _SYSCTL).read_text()
    assert not _path(node, _LINK).is_symlink()
    wrong = [check for check in _checks(node) if check.status is not CheckStatus.OK]
    assert not wrong
    assert _plan(node).steps == ()

    assert revert_nodes((node,), who="me").exit_code is ExitCode.DONE
    assert tree_hash(_path(node, "/")) == before
    assert _path(node, "/proc/sys/vm/swappiness").read_text().strip() == "10"


def test_what_somebody_edited_since_is_told_and_left(node: NodeTarget) -> None:
    _apply(node)
    edited = _path(node, _COMPOSE).read_bytes() + b"    user: root\r\n"
    _path(node, _COMPOSE).write_bytes(edited)

    reverted = revert_nodes((node,), who="me")

    assert reverted.exit_code is ExitCode.DIFFERENCES
    assert _path(node, _COMPOSE).read_bytes() == edited
    assert not _path(node, _SYSCTL).exists()


def test_a_compose_file_that_changed_since_the_plan_voids_it(node: NodeTarget) -> None:
    before = tree_hash(_path(node, "/"))
    plan = _plan(node)
    _path(node, _COMPOSE).write_bytes(_TEXT.encode() + b"    user: root\r\n")

    (report,) = apply_plans((node,), {node.name: plan}, who="me").reports
    _path(node, _COMPOSE).write_bytes(_TEXT.encode())

    assert report.state is NodeState.UNTOUCHED
    assert _COMPOSE in report.failure
    assert tree_hash(_path(node, "/")) == before


def test_a_key_of_an_earlier_profile_comes_back_as_it_was_first(node: NodeTarget) -> None:
    """Two profiles after each other, one revert: what was there before the first is what counts."""
    before = tree_hash(_path(node, "/"))
    _apply(node)
    plan = _plan(node, replace(_PROFILE, sysctls={"vm.swappiness": "60"}))
    apply_plans((node,), {node.name: plan}, who="me")

    assert _path(node, "/proc/sys/vm/swappiness").read_text().strip() == "60"
    assert revert_nodes((node,), who="me").exit_code is ExitCode.DONE
    assert tree_hash(_path(node, "/")) == before

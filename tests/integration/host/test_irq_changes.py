"""Interrupts, irqbalance and kernel workers of a made-up node by the real agent: done, told and undone."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.support.host_trees import tree_hash, write_node

from sparktune.agent.protocol import command_slug
from sparktune.errors import ExitCode
from sparktune.flows.host.verbs import apply_plans, plan_nodes, revert_nodes, verify_nodes
from sparktune.host.facts.irq_services import SOURCE as SERVICES
from sparktune.host.reapply_units import AGENT
from sparktune.io.cluster import NodeTarget
from sparktune.model.host_plan import CheckStatus, HostCheck
from sparktune.model.node_report import NodeState
from sparktune.model.profile import IrqPolicy, Profile
from sparktune.model.reads import ReadCommand

_MASK = "/sys/devices/virtual/workqueue/cpumask"
_SETTINGS = "/etc/default/irqbalance"
_TEXT = "# mine\n#IRQBALANCE_BANNED_CPULIST=\nIRQBALANCE_ARGS=--deepestcache=2\n"
_ONLY = ("slices", "sysctl", "default-target", "isolate", "fast-core-residents", "earlyoom")
_SHOW = next(read.argv for read in SERVICES.reads if isinstance(read, ReadCommand))
_RUNS = "Id=irqbalance.service\nLoadState=loaded\nActiveState=active\nUnitFileState=enabled\n"


@pytest.fixture(name="node")
def _node(tmp_path: Path) -> NodeTarget:
    node = write_node(tmp_path / "spark1")
    files = {
        "/proc/irq/16/smp_affinity_list": "0-19\n",
        "/proc/irq/16/effective_affinity_list": "2\n",
        _SETTINGS: _TEXT,
        f"/commands/{command_slug(_SHOW)}.txt": _RUNS,
    }
    for path, text in files.items():
        _path(node, path).parent.mkdir(parents=True, exist_ok=True)
        _path(node, path).write_text(text)
    return node


def _path(node: NodeTarget, path: str) -> Path:
    assert node.root is not None
    return node.root / path.lstrip("/")


def _mask(node: NodeTarget, irq: int) -> str:
    return _path(node, f"/proc/irq/{irq}/smp_affinity_list").read_text().strip()


def _apply(node: NodeTarget, profile: Profile) -> None:
    (planned,) = plan_nodes((node,), profile).reports
    assert planned.plan is not None, planned
    assert planned.plan.refusals == ()
    (report,) = apply_plans((node,), {node.name: planned.plan}, who="me").reports
    assert report.state is NodeState.APPLIED, report


def _checks(node: NodeTarget) -> list[HostCheck]:
    (report,) = verify_nodes((node,)).reports
    assert report.checks is not None, report
    return list(report.checks)


def test_all_of_it_is_done_verified_and_undone(node: NodeTarget) -> None:
    before = tree_hash(_path(node, "/"))
    _apply(node, Profile(allow_slow=True, without=_ONLY))

    assert _path(node, _MASK).read_text().strip().endswith("7c1f")
    assert _path(node, _SETTINGS).read_text() == _TEXT.replace(
        "CPULIST=\n", "CPULIST=\nIRQBALANCE_BANNED_CPULIST=5-9,15-19\n"
    )
    moved = {_mask(node, irq) for irq in (390, *range(395, 479))}
    assert moved == {"0-4,10-14"}
    assert _mask(node, 16) == "0-19", "what is no target stays"
    wrong = [check for check in _checks(node) if check.status is not CheckStatus.OK]
    assert not wrong
    (again,) = plan_nodes((node,), Profile(allow_slow=True, without=_ONLY)).reports
    assert again.plan is not None
    assert again.plan.steps == ()

    assert revert_nodes((node,), who="me").exit_code is ExitCode.DONE
    assert tree_hash(_path(node, "/")) == before


def test_a_vector_that_somebody_moves_is_told_and_left_by_revert(node: NodeTarget) -> None:
    _apply(node, Profile(allow_slow=True, without=_ONLY))
    _path(node, "/proc/irq/396/smp_affinity_list").write_text("17\n")

    different = [check for check in _checks(node) if check.status is CheckStatus.DIFFERENT]
    reverted = revert_nodes((node,), who="me")

    assert [(check.target, check.effective) for check in different] == [
        ("0000:01:00.1#1 (IRQ 396, mlx5_comp0@pci:0000:01:00.1)", "17")
    ]
    assert reverted.exit_code is ExitCode.DIFFERENCES
    assert (_mask(node, 396), _mask(node, 397)) == ("17", "0-19")


def test_after_a_boot_with_other_numbers_the_node_does_it_again_by_itself(node: NodeTarget) -> None:
    """What the unit and the timer run; a ConnectX that comes back has other IRQ numbers and the default mask."""
    _apply(node, Profile(allow_slow=True, without=_ONLY))
    _path(node, "/proc/sys/kernel/random/boot_id").write_text("00000000-0000-4000-8000-000000000002\n")
    for mask in _path(node, "/proc/irq").glob("*/smp_affinity_list"):
        mask.write_text("0-19\n")
    _path(node, _MASK).write_text("fffff\n")
    table = _path(node, "/proc/interrupts")
    vectors = _path(node, "/sys/bus/pci/devices/0000:01:00.1/msi_irqs")
    for old in sorted(int(path.name) for path in vectors.iterdir()):
        (vectors / str(old)).rename(vectors / str(old + 200))
        _path(node, f"/proc/irq/{old}").rename(_path(node, f"/proc/irq/{old + 200}"))
        table.write_text(table.read_text().replace(f" {old}:", f" {old + 200}:"))
    assert {check.status for check in _checks(node) if check.change == "irq-affinity"} == {CheckStatus.DIFFERENT}

    again = _agent(node, "reapply")

    assert again.returncode == 0, again.stdout + again.stderr
    assert (_mask(node, 595), _mask(node, 615), _mask(node, 390)) == ("0-4,10-14",) * 3
    wrong = [check for check in _checks(node) if check.status is not CheckStatus.OK]
    assert not wrong
    assert _agent(node, "revert").returncode == 0
    assert (_mask(node, 595), _mask(node, 390)) == ("0-19", "0-19"), "as this boot had them"
    assert not _path(node, "/etc/udev/rules.d/90-sparktune.rules").exists()


def _agent(node: NodeTarget, command: str) -> subprocess.CompletedProcess[str]:
    """Run what a transaction left on the node, as the unit does."""
    if not Path("/usr/bin/python3").exists():
        pytest.skip("no /usr/bin/python3, which the unit starts")
    argv = ["/usr/bin/python3", "-I", str(_path(node, AGENT)), "--root", str(node.root), command]
    return subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)


def test_a_device_that_was_unplugged_since_is_told(node: NodeTarget) -> None:
    """Only the node's journal still knows of it: without that, verify would call what is left fine."""
    _apply(node, Profile(allow_slow=True, without=_ONLY))
    shutil.rmtree(_path(node, "/sys/bus/pci/devices/0002:01:00.1"))

    wrong = [check for check in _checks(node) if check.status is not CheckStatus.OK]

    assert [(check.target, check.status) for check in wrong] == [("0002:01:00.1", CheckStatus.ABSENT)]


def test_a_gpu_that_is_opened_later_is_placed_then(node: NodeTarget) -> None:
    """NVIDIA's driver asks for the interrupt when the GPU is opened first: a plan must not forget such a device."""
    vectors = _path(node, "/sys/bus/pci/devices/000f:01:00.0/msi_irqs")
    vectors.rename(vectors.with_name("away"))
    _apply(node, Profile(allow_slow=True, without=_ONLY))
    assert _mask(node, 390) == "0-19"
    wrong = [check for check in _checks(node) if check.status is not CheckStatus.OK]
    assert [(check.target, check.status) for check in wrong] == [("000f:01:00.0", CheckStatus.ABSENT)]

    vectors.with_name("away").rename(vectors)
    again = _agent(node, "reapply")

    assert again.returncode == 0, again.stdout + again.stderr
    assert _mask(node, 390) == "0-4,10-14"
    assert revert_nodes((node,), who="me").exit_code is ExitCode.DONE
    assert _mask(node, 390) == "0-19"


def test_a_spread_is_refused_while_irqbalance_runs(node: NodeTarget) -> None:
    before = tree_hash(_path(node, "/"))

    (planned,) = plan_nodes((node,), Profile(allow_slow=True, without=_ONLY, irq=IrqPolicy.SPREAD)).reports

    assert planned.plan is not None
    assert [refusal.change for refusal in planned.plan.refusals] == ["irqbalance"]
    assert tree_hash(_path(node, "/")) == before

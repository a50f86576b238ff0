"""Kernel settings and containers of reported machines: captured data beside the repository."""

import json

from tests.support.nodes import readings_of_node
from tests.support.shared import shared

from sparktune.host.changes import all_changes
from sparktune.host.facts import all_reads, read_facts
from sparktune.host.facts.containers import SOURCE as CONTAINERS
from sparktune.host.lab.node import LabNode, node_tree
from sparktune.host.lab.tree import NodeTree
from sparktune.model.host_plan import CheckStatus, HostView
from sparktune.model.profile import Mode, Profile
from sparktune.model.reads import ReadCommand
from sparktune.model.step import ContainerStep, FileStep, ValueStep

_CHANGES = {change.id: change for change in all_changes()}
_BOOT = "00000000-0000-4000-8000-000000000001"


def _view(change: str, tree: NodeTree, profile: Profile, *, applied: bool = False) -> HostView:
    facts = read_facts("spark1", readings_of_node(tree, all_reads()))
    readings = readings_of_node(tree, _CHANGES[change].reads(facts, profile))
    return HostView(
        facts=facts, profile=profile, readings=readings, boot_id=_BOOT, applied_boot=_BOOT if applied else None
    )


def _case_36() -> NodeTree:
    before = json.loads((shared("cases/36-revert-must-restore-prior-values") / "before.json").read_text())
    base = node_tree(LabNode(last=11))
    live = {f"/proc/sys/{key.replace('.', '/')}": f"{before[key]}\n" for key in before if key.startswith("vm.")}
    files = {path: text for path, text in before["files"].items() if text is not None}
    return NodeTree(files={**base.files, **live, **files}, links=base.links, commands=base.commands)


def test_case_36_the_prior_is_10_not_60_and_no_file_of_the_article_is_needed() -> None:
    plan = _CHANGES["sysctl"].plan(_view("sysctl", _case_36(), Profile()))

    file, *live = [planned.step for planned in plan.steps]
    assert isinstance(file, FileStep)
    assert file.expect == {"/etc/sysctl.d/99-zz-sparktune.conf": None}
    values = {step.path: (step.text, step.lasting, step.expect) for step in live if isinstance(step, ValueStep)}
    assert values == {
        "/proc/sys/vm/swappiness": ("1", True, {"/proc/sys/vm/swappiness": "10"}),
        "/proc/sys/vm/vfs_cache_pressure": ("200", True, {"/proc/sys/vm/vfs_cache_pressure": "100"}),
    }


def test_case_36_after_the_article_a_file_waits_for_the_boot() -> None:
    """Nothing is applied by this program: what a file will do at the next boot is still told."""
    tree = _case_36()
    article = {"/etc/sysctl.d/99-vm-tune.conf": "vm.swappiness=1\nvm.vfs_cache_pressure=100\n"}
    view = _view("sysctl", NodeTree(files={**tree.files, **article}, commands=tree.commands), Profile())

    (check,) = _CHANGES["sysctl"].verify(view)

    assert (check.target, check.wanted, check.effective) == ("vm.swappiness", "1", "10")
    assert check.status is CheckStatus.PENDING_REBOOT
    assert "/etc/sysctl.d/99-vm-tune.conf, line 1" in check.why


def _case_03() -> NodeTree:
    """Return a GB10 with the case's container and its processes; an id, which the excerpt lacks, puts them into it."""
    folder = shared("cases/03-seed-profile-but-container-has-no-cpuset")
    base = node_tree(LabNode(last=11))
    (inspected,) = json.loads((folder / "docker_inspect.json").read_text())
    identity = "03" * 32
    files = {path: text for path, text in base.files.items() if not path.startswith(("/proc/4", "/sys/fs/cgroup"))}
    for block in (folder / "proc_status_excerpt.txt").read_text().split("# /proc/")[1:]:
        pid, _, status = block.partition("/status")
        files[f"/proc/{pid}/task/{pid}/status"] = status.partition("\n")[2]
        files[f"/proc/{pid}/cgroup"] = f"0::/system.slice/docker-{identity}.scope\n"
    files[f"/sys/fs/cgroup/system.slice/docker-{identity}.scope/cpuset.cpus.effective"] = "0-19\n"
    inspect = [read.argv for read in CONTAINERS.reads if isinstance(read, ReadCommand)]
    shown = json.dumps([{**inspected, "Id": identity}])
    return NodeTree(files=files, commands={**base.commands, **dict.fromkeys(inspect, shown)})


def test_case_03_every_thread_is_read_not_the_file() -> None:
    profile = Profile(mode=Mode.CLASSIC)

    checks = _CHANGES["container-cpuset"].verify(_view("container-cpuset", _case_03(), profile, applied=True))

    given, _, threads = checks
    assert given.status is CheckStatus.ABSENT
    assert threads.status is CheckStatus.DIFFERENT
    assert (threads.wanted, threads.effective) == ("5-9,15-19", "0-4,10-14")
    for thread in ("thread 41822 (vllm)", "thread 42101 (VLLM::EngineCor)", "thread 42377 (VLLM::Worker)"):
        assert thread in threads.why


def test_case_03_the_container_gets_the_fast_cores_live() -> None:
    plan = _CHANGES["container-cpuset"].plan(_view("container-cpuset", _case_03(), Profile(mode=Mode.CLASSIC)))

    (planned,) = plan.steps
    assert isinstance(planned.step, ContainerStep)
    assert (planned.step.cpus, planned.step.all_cpus) == ("5-9,15-19", "0-19")
    assert planned.step.expect == {"03" * 32: ""}

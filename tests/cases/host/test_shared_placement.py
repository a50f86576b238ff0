"""Placing the system's work, on reported and real machines: captured data beside the repository."""

import json

from tests.support.nodes import readings_of_node
from tests.support.shared import shared
from tests.support.trees import readings_of_tree

from sparktune.host.changes import all_changes
from sparktune.host.facts import all_reads, read_facts
from sparktune.host.facts.containers import SOURCE as CONTAINERS
from sparktune.host.lab.node import LabNode, node_tree
from sparktune.host.lab.tree import NodeTree
from sparktune.host.placement import cores_of
from sparktune.model.host_plan import CheckStatus, HostView
from sparktune.model.profile import Mode, Profile
from sparktune.model.reads import ReadCommand
from sparktune.model.step import FileStep

_CHANGES = {change.id: change for change in all_changes()}
_BOOT = "00000000-0000-4000-8000-000000000001"


def _view(change: str, tree: NodeTree, profile: Profile, applied_boot: str | None) -> HostView:
    facts = read_facts("spark1", readings_of_node(tree, all_reads()))
    return HostView(
        facts=facts,
        profile=profile,
        readings=readings_of_node(tree, _CHANGES[change].reads(facts, profile)),
        boot_id=_BOOT,
        applied_boot=applied_boot,
    )


def _case_03() -> NodeTree:
    """Return a GB10 with the case's container, its processes and the manager's file; runtime versions unknown."""
    folder = shared("cases/03-seed-profile-but-container-has-no-cpuset")
    base = node_tree(LabNode(last=11))
    files = {path: text for path, text in base.files.items() if not path.startswith("/proc/4")}
    files["/etc/systemd/system.conf.d/cpu-affinity.conf"] = (folder / "system.conf.d_cpu-affinity.conf").read_text()
    files["/proc/1/status"] = "Name:\tsystemd\nCpus_allowed_list:\t0-4,10-14\n"
    for block in (folder / "proc_status_excerpt.txt").read_text().split("# /proc/")[1:]:
        pid, _, status = block.partition("/status")
        files[f"/proc/{pid}/task/{pid}/status"] = status.partition("\n")[2]
        core = "0" + " 0" * 14
        files[f"/proc/{pid}/task/{pid}/stat"] = f"{pid} (x) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9 {core} 17 3 0\n"
    inspect = [read.argv for read in CONTAINERS.reads if isinstance(read, ReadCommand)]
    commands = {argv: text for argv, text in base.commands.items() if argv[0] not in {"runc", "nvidia-smi"}}
    return NodeTree(
        files=files,
        links=base.links,
        commands=commands | dict.fromkeys(inspect, (folder / "docker_inspect.json").read_text()),
    )


def test_case_03_every_thread_of_inference_is_told_to_be_on_slow_cores() -> None:
    view = _view("fast-core-residents", _case_03(), Profile(mode=Mode.CLASSIC), _BOOT)

    checks = _CHANGES["fast-core-residents"].verify(view)

    wrong = {check.target.split()[0]: check for check in checks if check.status is CheckStatus.DIFFERENT}
    assert set(wrong) == {"41822", "42101", "42377"}
    assert {check.wanted for check in wrong.values()} == {"5-9,15-19"}
    assert {check.effective for check in wrong.values()} == {"0-4,10-14 (1 thread)"}


def test_case_03_the_plan_is_refused_until_the_container_has_a_cpuset() -> None:
    """Compose first, then the manager: on a machine where the file is not there yet."""
    tree = _case_03()
    files = dict(tree.files) | {"/proc/1/status": "Cpus_allowed_list:\t0-19\n"}
    del files["/etc/systemd/system.conf.d/cpu-affinity.conf"]
    before = NodeTree(files=files, links=tree.links, commands=tree.commands)

    plan = _CHANGES["manager-affinity"].plan(_view("manager-affinity", before, Profile(mode=Mode.CLASSIC), None))

    (refusal,) = plan.refusals
    assert refusal.allow == "--allow-slow"
    assert 'cpuset: "5-9,15-19"' in refusal.hint
    assert "recreate" in refusal.hint
    assert "container vllm-dspark" in refusal.evidence[0]
    assert [type(planned.step) for planned in plan.steps] == [FileStep]


def test_case_36_files_that_an_administrator_wrote_are_overruled_not_replaced() -> None:
    """What is not touched needs no restoring; and the file that is written does not exist before."""
    before = json.loads((shared("cases/36-revert-must-restore-prior-values") / "before.json").read_text())
    base = node_tree(LabNode(last=11))
    written = {path: text for path, text in before["files"].items() if text is not None}
    tree = NodeTree(files={**base.files, **written}, links=base.links, commands=base.commands)
    profile = Profile(mode=Mode.CLASSIC, allow_slow=True)

    plan = _CHANGES["manager-affinity"].plan(_view("manager-affinity", tree, profile, None))
    target = _CHANGES["default-target"].plan(_view("default-target", tree, profile, None))

    (planned,) = plan.steps
    assert isinstance(planned.step, FileStep)
    assert planned.step.path not in written
    assert planned.step.expect == {planned.step.path: None}
    assert any("cpu-affinity.conf sets CPUAffinity=0-19: it stays" in note for note in plan.notes)
    assert before["default_target"] == "multi-user.target"
    assert target.steps == ()


def test_case_36_after_a_revert_the_mask_of_pid_1_waits_for_the_boot() -> None:
    before = json.loads((shared("cases/36-revert-must-restore-prior-values") / "before.json").read_text())
    base = node_tree(LabNode(last=11))
    written = {path: text for path, text in before["files"].items() if text is not None}
    live = {"/proc/1/status": "Name:\tsystemd\nCpus_allowed_list:\t0-4,10-14\n"}
    tree = NodeTree(files={**base.files, **written, **live}, links=base.links, commands=base.commands)

    for mode in Mode:
        (check,) = _CHANGES["manager-affinity"].verify(_view("manager-affinity", tree, Profile(mode=mode), None))
        assert (check.wanted, check.effective, check.status) == ("0-19", "0-4,10-14", CheckStatus.PENDING_REBOOT)


def test_the_cores_of_a_real_gb10() -> None:
    """The five capacities of that machine are two types of cores; nothing else of it is in the capture."""
    root = shared("samples/gb10/hwloc-gb10-sysfs")
    facts = read_facts("spark", readings_of_tree(root, all_reads()))

    cores = cores_of(facts).value

    assert cores is not None
    assert cores.efficiency == frozenset({0, 1, 2, 3, 4, 10, 11, 12, 13, 14})
    assert cores.performance == frozenset(range(20)) - cores.efficiency
    for mode in Mode:
        profile = Profile(mode=mode)
        for name in ("slices", "manager-affinity"):
            reads = _CHANGES[name].reads(facts, profile)
            _CHANGES[name].plan(HostView(facts=facts, profile=profile, readings=readings_of_tree(root, reads)))

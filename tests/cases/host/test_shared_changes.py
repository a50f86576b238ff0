"""Plans and checks for reported and captured machines: data beside the repository."""

import re
from pathlib import Path

import pytest
from tests.support.nodes import readings_of_node
from tests.support.shared import shared

from sparktune.agent.steps.irq import KIND
from sparktune.host.changes import all_changes
from sparktune.host.facts import all_reads, read_facts
from sparktune.host.lab.tree import NodeTree
from sparktune.model.host_plan import CheckStatus, HostChange, HostView
from sparktune.model.profile import IrqPolicy, Profile
from sparktune.model.step import FileStep, IrqStep, ServiceStep

_CHANGES = {change.id: change for change in all_changes()}
_IRQS = _CHANGES["irq-affinity"]
_VENDORS = {"nvidia": "0x10de", "mlx5": "0x15b3", "nvme": "0x144d", "mt79": "0x14c3"}
_ROW = re.compile(r"\s*(\d+):.*?MSIX?-(\S+?)\s+\d+\s+Edge\s+(\S+)")


def _cores() -> dict[str, str]:
    """Return the CPUs of the captured GB10."""
    root = shared("samples/gb10/hwloc-gb10-sysfs")
    wanted = [
        root / "proc/cpuinfo",
        *(root / "sys/devices/system/cpu").rglob("*"),
        *(root / "sys").glob("devices/soc*/*"),
    ]
    return {f"/{path.relative_to(root)}": path.read_text("utf-8", "replace") for path in wanted if path.is_file()}


def _interrupts(table: Path, requested: dict[int, str]) -> dict[str, str]:
    """Return a table of interrupts with the files that stand beside it on a live machine; masks are 0-19 by default."""
    files = {"/proc/interrupts": table.read_text()}
    for line in table.read_text().splitlines():
        if match := _ROW.match(line):
            irq, device, name = int(match[1]), match[2], match[3]
            files[f"/proc/irq/{irq}/smp_affinity_list"] = f"{requested.get(irq, '0-19')}\n"
            files[f"/sys/bus/pci/devices/{device}/msi_irqs/{irq}"] = "msix\n"
            files[f"/sys/bus/pci/devices/{device}/vendor"] = f"{_VENDORS.get(name[:6], _VENDORS.get(name[:4]))}\n"
    return files


def _view(
    change: HostChange, files: dict[str, str], profile: Profile, services: str = "", applied_boot: str | None = None
) -> HostView:
    commands = dict.fromkeys(_asking("UnitFileState,ExecStart"), services) if services else {}
    tree = NodeTree(files=files, commands=commands)
    facts = read_facts("spark", readings_of_node(tree, all_reads()))
    readings = readings_of_node(tree, change.reads(facts, profile))
    return HostView(facts=facts, profile=profile, readings=readings, boot_id="now", applied_boot=applied_boot)


def _asking(words: str) -> list[tuple[str, ...]]:
    return [argv for read in all_reads() if words in " ".join(argv := getattr(read, "argv", ()))]


def _gb10() -> dict[str, str]:
    return _cores() | _interrupts(shared("samples/gb10/synthetic/proc-interrupts.txt"), {})


@pytest.mark.parametrize(
    ("policy", "cpus", "spread"),
    [
        (IrqPolicy.EFFICIENCY, (0, 1, 2, 3, 4, 10, 11, 12, 13, 14), False),
        (IrqPolicy.SPREAD, (19, 15, 16, 17, 18, 5, 6, 7, 8, 9), True),
    ],
)
def test_the_plan_for_84_vectors_on_a_real_gb10(policy: IrqPolicy, cpus: tuple[int, ...], spread: bool) -> None:  # noqa: FBT001 - a case
    plan = _IRQS.plan(_view(_IRQS, _gb10(), Profile(irq=policy)))

    (planned,) = plan.steps
    step = planned.step
    assert isinstance(step, IrqStep)
    assert step.devices == ("0000:01:00.0", "0000:01:00.1", "0002:01:00.0", "0002:01:00.1", "000f:01:00.0")
    assert (step.cpus, step.spread, step.fixed) == (cpus, spread, ())
    assert sum(item.startswith(("0000:", "0002:")) for item in step.expect) == 84
    assert set(step.expect.values()) == {"0-19"}
    assert plan.refusals == ()
    assert any("0004:01:00.0 (15 vectors, nvme0q1 ...)" in note for note in plan.notes)


@pytest.mark.parametrize("policy", [IrqPolicy.EFFICIENCY, IrqPolicy.SPREAD])
def test_the_plan_after_the_plan_is_empty(policy: IrqPolicy) -> None:
    """What the node's agent writes for each vector is what the plan calls as wanted."""
    files, profile = _gb10(), Profile(irq=policy)
    (planned,) = _IRQS.plan(_view(_IRQS, files, profile)).steps
    assert isinstance(planned.step, IrqStep)
    wire = {"kind": "irq", "cpus": list(planned.step.cpus), "spread": planned.step.spread}
    numbers = _numbers(files)
    for item in planned.step.expect:
        place = int(item.rpartition("#")[2])
        cpus = wire["cpus"]
        text = str(cpus[place % len(cpus)]) if wire["spread"] else ",".join(str(cpu) for cpu in cpus)
        assert KIND.reached(wire, item, {"cpus": text})
        files[f"/proc/irq/{numbers[item]}/smp_affinity_list"] = f"{text}\n"

    view = _view(_IRQS, files, profile, applied_boot="now")

    assert _IRQS.plan(view).steps == ()
    assert {check.status for check in _IRQS.verify(view)} == {CheckStatus.OK}
    assert len(_IRQS.verify(view)) == 5


def _numbers(files: dict[str, str]) -> dict[str, int]:
    """Return the IRQ number of each vector by its name."""
    by_device: dict[str, list[int]] = {}
    for path in files:
        if "/msi_irqs/" in path:
            by_device.setdefault(path.split("/")[5], []).append(int(path.rpartition("/")[2]))
    return {f"{device}#{place}": irq for device, irqs in by_device.items() for place, irq in enumerate(sorted(irqs))}


def _case_04() -> tuple[dict[str, str], Path]:
    folder = shared("cases/04-proc-interrupts-20-columns")
    masks = {
        int(irq): cpus
        for irq, cpus in (line.split() for line in (folder / "affinity_before.txt").read_text().splitlines())
    }
    return _cores() | _interrupts(folder / "proc_interrupts.txt", masks), folder


_RUNS = "Id=irqbalance.service\nLoadState=loaded\nActiveState=active\nUnitFileState=enabled\n"


def test_case_04_six_vectors_are_meant_and_their_masks_are_kept() -> None:
    files, folder = _case_04()
    assert "irqbalance.service active" in (folder / "services.txt").read_text()

    plan = _IRQS.plan(_view(_IRQS, files, Profile(), _RUNS))

    (planned,) = plan.steps
    assert isinstance(planned.step, IrqStep)
    assert dict(planned.step.expect) == {
        "0000:01:00.0#0": "0-19",
        "0000:01:00.0#1": "6",
        "0000:01:00.0#2": "15",
        "0002:01:00.0#0": "0-19",
        "0002:01:00.0#1": "19",
        "000f:01:00.0#0": "0-19",
    }
    assert planned.step.fixed == ()
    said = "\n".join(plan.notes)
    assert "0004:01:00.0 (1 vector, nvme0q1 ...)" in said
    assert "0009:01:00.0 (mt7925e)" in said


def test_case_04_a_listed_disk_is_moved_knowing_that_the_kernel_will_refuse() -> None:
    files, _ = _case_04()

    (planned,) = _IRQS.plan(_view(_IRQS, files, Profile(irq_devices=("0004:01:00.0",)))).steps

    assert isinstance(planned.step, IrqStep)
    assert planned.step.fixed == ("0004:01:00.0#0",)


def test_case_04_irqbalance_is_told_or_the_plan_is_refused() -> None:
    files, _ = _case_04()
    change = _CHANGES["irqbalance"]

    kept = change.plan(_view(change, files, Profile(), _RUNS))
    spread = change.plan(_view(change, files, Profile(irq=IrqPolicy.SPREAD), _RUNS))

    assert [type(planned.step) for planned in kept.steps] == [FileStep, ServiceStep]
    assert kept.steps[0].after == "keeps off 5-9,15-19"
    assert spread.steps == ()
    assert "irqbalance is active" in spread.refusals[0].reason


def test_case_04_the_vector_that_refused_is_told() -> None:
    """Five writes went well; one ended in EIO, and the profile is not called applied."""
    files, folder = _case_04()
    results = dict(line.split()[:2] for line in (folder / "write_results.txt").read_text().splitlines())
    assert results.pop("412") == "EIO"
    for irq in results:
        files[f"/proc/irq/{irq}/smp_affinity_list"] = "0-4,10-14\n"

    checks = _IRQS.verify(_view(_IRQS, files, Profile(), applied_boot="now"))

    assert [(check.target, check.status.value) for check in checks] == [
        ("0000:01:00.0 (3 vectors)", "OK"),
        ("0002:01:00.0 (1 vector: #0)", "OK"),
        ("0002:01:00.0#1 (IRQ 412, mlx5_comp0@pci:0002:01:00.0)", "DIFFERENT"),
        ("000f:01:00.0 (1 vector)", "OK"),
    ]
    assert checks[2].effective == "19"


def test_case_04_vectors_that_came_back_under_new_numbers_are_counted_again() -> None:
    files, _ = _case_04()
    for path in [path for path in files if path.endswith(("/301", "/302", "/303"))]:
        del files[path]
    for irq in range(700, 705):
        files[f"/sys/bus/pci/devices/0000:01:00.0/msi_irqs/{irq}"] = "msix\n"
        files[f"/proc/irq/{irq}/smp_affinity_list"] = "0-19\n"

    checks = _IRQS.verify(_view(_IRQS, files, Profile(), applied_boot="now"))

    (device,) = [check for check in checks if check.target.startswith("0000:")]
    assert (device.target, device.effective, device.status) == (
        "0000:01:00.0 (5 vectors)",
        "0-19",
        CheckStatus.DIFFERENT,
    )


def test_a_captured_tree_without_interrupts_has_notes_and_no_steps() -> None:
    view = _view(_IRQS, _cores(), Profile(), applied_boot="now")

    plan = _IRQS.plan(view)

    assert (plan.steps, plan.refusals) == ((), ())
    assert plan.notes
    assert [check.status for check in _IRQS.verify(view)] == [CheckStatus.ABSENT]

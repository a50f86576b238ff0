"""Interrupts by device and vector, on trees: what is moved, what is told apart."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.steps import GPU, NIC, kind_named, sample_tree

from sparktune.agent.failures import StepFailed
from sparktune.agent.machine import Machine
from sparktune.agent.machines import machine_of
from sparktune.agent.tree import Tree


@pytest.fixture(name="machine")
def _machine(tmp_path: Path) -> Machine:
    return machine_of(Tree(str(sample_tree(tmp_path))))


def _irq(*devices: str, cpus: tuple[int, ...] = (0, 1), **more: Any) -> dict[str, Any]:  # noqa: ANN401
    fields = {"devices": list(devices), "cpus": list(cpus), "spread": False, "fixed": [], "expect": {}}
    return {"kind": "irq", "change": "test", **fields, **more}


def _outcomes(machine: Machine, step: dict[str, Any]) -> dict[str, str]:
    return {item: done["outcome"] for item, done in kind_named("irq").do(machine, step, {}).items()}


def _list(root: Path, irq: int) -> str:
    return (root / f"proc/irq/{irq}/smp_affinity_list").read_text()


def test_vectors_go_by_number_and_not_by_letters(tmp_path: Path) -> None:
    """``9`` sorts after ``10`` as text: the K-th vector would then be another one than the driver's K-th."""
    for irq in (9, 10, 101):
        for path in (f"proc/irq/{irq}/smp_affinity_list", f"sys/bus/pci/devices/{NIC}/msi_irqs/{irq}"):
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text("0-3\n")
    reading = kind_named("irq").look(machine_of(Tree(str(tmp_path))), _irq(NIC))
    assert {item: value["irq"] for item, value in reading.items()} == {f"{NIC}#0": 9, f"{NIC}#1": 10, f"{NIC}#2": 101}


def test_the_kernels_own_vectors_are_managed_only_when_the_plan_knew(machine: Machine, tmp_path: Path) -> None:
    assert _outcomes(machine, _irq(NIC, fixed=[f"{NIC}#2"])) == {
        f"{NIC}#0": "changed",
        f"{NIC}#1": "changed",
        f"{NIC}#2": "managed",
    }
    assert _outcomes(machine, _irq(NIC)) == {f"{NIC}#0": "already", f"{NIC}#1": "already", f"{NIC}#2": "refused"}
    assert [_list(tmp_path, irq) for irq in (50, 51, 52)] == ["0-1\n", "0-1\n", "0-3\n"]


def test_spreading_gives_each_vector_one_cpu_in_the_order_given(machine: Machine, tmp_path: Path) -> None:
    _outcomes(machine, _irq(NIC, cpus=(3, 1), spread=True))
    assert [_list(tmp_path, irq) for irq in (50, 51)] == ["3\n", "1\n"]


def test_a_device_that_is_not_there_is_gone(machine: Machine, tmp_path: Path) -> None:
    """A ConnectX without a cable is taken off the bus: that undoes nothing of the others."""
    (tmp_path / "sys/bus/pci/devices/0000:02:00.0").mkdir(parents=True)
    step = _irq("0000:03:00.0", "0000:02:00.0", GPU)
    done = kind_named("irq").do(machine, step, {})
    assert done["0000:03:00.0#0"] == {"outcome": "gone", "why": "the device is not there"}
    assert done["0000:02:00.0#0"] == {"outcome": "gone", "why": "the device has no interrupts"}
    assert done[f"{GPU}#0"] == {"outcome": "changed"}


def test_a_device_without_message_signalled_interrupts(machine: Machine, tmp_path: Path) -> None:
    folder = tmp_path / "sys/bus/pci/devices/0000:04:00.0"
    folder.mkdir()
    (folder / "irq").write_text("40\n")
    assert _outcomes(machine, _irq("0000:04:00.0")) == {"0000:04:00.0#0": "changed"}
    (folder / "irq").write_text("255\n")  # what firmware writes for "not connected"
    assert _outcomes(machine, _irq("0000:04:00.0")) == {"0000:04:00.0#0": "gone"}


def test_a_device_that_came_back_with_other_numbers_is_put_back(machine: Machine, tmp_path: Path) -> None:
    """Numbers are given anew when a driver is loaded again; the device and its vector stay."""
    kind, step = kind_named("irq"), _irq(GPU)
    before = kind.look(machine, step)
    kind.do(machine, step, before)
    (tmp_path / "proc/irq/40").rename(tmp_path / "proc/irq/77")
    vectors = tmp_path / f"sys/bus/pci/devices/{GPU}/msi_irqs"
    (vectors / "40").rename(vectors / "77")
    now = kind.look(machine, step)
    assert kind.reached(step, f"{GPU}#0", now[f"{GPU}#0"])
    kind.put_back(machine, step, f"{GPU}#0", before[f"{GPU}#0"])
    assert _list(tmp_path, 77) == "0-3\n"
    assert kind.same(step, before[f"{GPU}#0"], kind.look(machine, step)[f"{GPU}#0"])


def test_what_is_effective_follows_in_a_tree(machine: Machine, tmp_path: Path) -> None:
    """An interrupt controller that takes one CPU stays with its CPU when it may, and takes the first one else."""
    kind_named("irq").do(machine, _irq(GPU, cpus=(2, 3)), {})
    kind_named("irq").do(machine, _irq(NIC, cpus=(0, 1)), {})
    effective = [(tmp_path / f"proc/irq/{irq}/effective_affinity_list").read_text() for irq in (40, 50)]
    masks = [(tmp_path / f"proc/irq/{irq}/smp_affinity").read_text() for irq in (40, 50)]
    assert (effective, masks) == (["3\n", "0\n"], ["c\n", "3\n"])


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"devices": ["../../irq"]}, "no PCI address"),
        ({"devices": "0000:01:00.0"}, "needs 'devices'"),
        ({"cpus": []}, "no CPUs"),
        ({"cpus": ["0"]}, "no CPUs"),
    ],
)
def test_steps_that_are_none(machine: Machine, fields: dict[str, Any], why: str) -> None:
    with pytest.raises(StepFailed, match=why):
        kind_named("irq").do(machine, {**_irq(GPU), **fields}, {})


def test_cpus_that_are_offline_are_refused_in_words(machine: Machine) -> None:
    done = kind_named("irq").do(machine, _irq(GPU, cpus=(9,)), {})
    assert done == {f"{GPU}#0": {"outcome": "refused", "why": "none of these CPUs is online (Invalid argument)"}}


_CAME = "0002:01:00.0"


@pytest.mark.parametrize(
    ("pci_class", "vendor", "vectors", "outcome"),
    [
        ("0x020000", "0x15b3", ("90",), "changed"),
        ("", "0x15b3", ("90",), "changed"),
        # A root port: its interrupts are for slots and errors.
        ("0x060400", "0x15b3", ("90",), None),
        ("0x020000", "0x8086", ("90",), None),
        # Without message-signalled ones it may share its interrupt with others.
        ("0x020000", "0x15b3", (), None),
    ],
)
def test_only_when_it_is_done_again_what_came_since_is_meant(
    machine: Machine, tmp_path: Path, pci_class: str, vendor: str, vectors: tuple[str, ...], outcome: str | None
) -> None:
    """What nobody was shown is not moved by applying; a ConnectX whose cable is plugged in later is still meant."""
    device = f"sys/bus/pci/devices/{_CAME}"
    files = {f"{device}/vendor": f"{vendor}\n", f"{device}/class": f"{pci_class}\n", f"{device}/irq": "90\n"}
    files |= {f"{device}/msi_irqs/{irq}": "msix\n" for irq in vectors}
    for path, text in {**files, "proc/irq/90/smp_affinity_list": "0-3\n"}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    step = _irq(NIC, vendors=["0x10de", "0x15b3"])

    assert f"{_CAME}#0" not in _outcomes(machine, step)
    assert _outcomes(machine, {**step, "arrivals": True}).get(f"{_CAME}#0") == outcome
    assert _list(tmp_path, 90) == ("0-1\n" if outcome else "0-3\n")

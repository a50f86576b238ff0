"""Items of hot steps, from what a node answered."""

import json

import pytest

from sparktune.io.launching.step_items import items_of, reads_of, same_value
from sparktune.model.observed import Observed, State, absent, present, unreadable
from sparktune.model.reads import CommandOutput, ReadFile, Readings
from sparktune.model.step import AffinityStep, ContainerStep, IrqStep, PropertyStep, Step, Task, ValueStep

_IRQ = IrqStep(devices=("0000:01:00.0",), cpus=(5, 6), spread=True)
_DEVICE = "/sys/bus/pci/devices/0000:01:00.0"
_TASK = AffinityStep(tasks=(Task(pid=7, tid=8, start_time=90),), cpus=(3, 4))
_STAT = f"8 (a ) b) S {' '.join('0' for _ in range(18))} 90 0\n"
_UNIT = PropertyStep(unit="work.slice", name="AllowedCPUs", value="0-4")
_SHOW = ("systemctl", "show", "-p", "Id,AllowedCPUs", "work.slice")
_BOX = ContainerStep(container="abc", cpus="5-9", all_cpus="0-19")


def _answer(stdout: str, code: int = 0, stderr: str = "") -> Observed[CommandOutput]:
    return present(CommandOutput(stdout=stdout, stderr=stderr, code=code))


def _found(step: Step, readings: Readings) -> dict[str, tuple[State, str | None]]:
    return {item.name: (item.found.state, item.found.value) for item in items_of((step,), readings)}


def test_a_value_is_its_words() -> None:
    step = ValueStep(path="/proc/sys/net/ipv4/tcp_rmem", text="1 2 3")
    readings = Readings(files={step.path: present("1\t2\t3\n")})
    (item,) = items_of((step,), readings)
    assert (item.name, item.found.value, item.wanted) == (step.path, "1 2 3", "1 2 3")
    assert _found(step, Readings()) == {step.path: (State.ABSENT, None)}
    assert _found(step, Readings(files={step.path: unreadable("needs root")}))[step.path][0] is State.UNREADABLE


def test_vectors_are_counted_in_the_order_of_their_numbers() -> None:
    """The K-th vector is the one that the agent calls #K, whatever order a folder is listed in."""
    readings = Readings(
        names={f"{_DEVICE}/msi_irqs/*": (f"{_DEVICE}/msi_irqs/100", f"{_DEVICE}/msi_irqs/99")},
        matches={
            "/proc/irq/*/smp_affinity_list": {
                "/proc/irq/99/smp_affinity_list": present("5\n"),
                "/proc/irq/100/smp_affinity_list": present("0-19\n"),
            }
        },
    )
    first, second = items_of((_IRQ,), readings)
    assert (first.name, first.found.value, first.wanted) == ("0000:01:00.0#0", "5", "5")
    assert (second.name, second.found.value, second.wanted) == ("0000:01:00.0#1", "0-19", "6")


def test_what_the_kernel_places_itself_is_nobodys_setting() -> None:
    step = IrqStep(devices=_IRQ.devices, cpus=(5,), fixed=("0000:01:00.0#0",))
    names = (f"{_DEVICE}/msi_irqs/1", f"{_DEVICE}/msi_irqs/2")
    assert list(_found(step, Readings(names={f"{_DEVICE}/msi_irqs/*": names}))) == ["0000:01:00.0#1"]


def test_a_device_without_interrupts_is_not_there() -> None:
    assert _found(_IRQ, Readings()) == {"0000:01:00.0#0": (State.ABSENT, None)}


def test_an_old_interrupt_counts_where_there_are_no_messages() -> None:
    mask = {"/proc/irq/16/smp_affinity_list": present("0-3")}
    readings = Readings(files={f"{_DEVICE}/irq": present("16\n")}, matches={"/proc/irq/*/smp_affinity_list": mask})
    assert _found(_IRQ, readings) == {"0000:01:00.0#0": (State.PRESENT, "0-3")}


def test_a_thread_is_itself_by_its_start() -> None:
    status = present("Name:\tx\nCpus_allowed_list:\t3-4\n")
    readings = Readings(files={"/proc/7/task/8/status": status, "/proc/7/task/8/stat": present(_STAT)})
    later = Readings(
        files={"/proc/7/task/8/status": status, "/proc/7/task/8/stat": present(_STAT.replace(" 90 ", " 91 "))}
    )
    assert _found(_TASK, readings) == {"7/8/90": (State.PRESENT, "3-4")}
    assert _found(_TASK, later) == {"7/8/90": (State.ABSENT, None)}
    assert _found(_TASK, Readings()) == {"7/8/90": (State.ABSENT, None)}


def test_what_the_group_has_counts_more_than_what_systemd_says() -> None:
    """A property stays with systemd where nothing enforces it."""
    said = _answer("Id=other.slice\nAllowedCPUs=1\n\nId=work.slice\nAllowedCPUs=0-4\n")
    effective = {"/sys/fs/cgroup/work.slice/cpuset.cpus.effective": present("0-19\n")}
    assert _found(_UNIT, Readings(commands={_SHOW: said}))["work.slice AllowedCPUs"][1] == "0-4"
    assert _found(_UNIT, Readings(commands={_SHOW: said}, files=effective))["work.slice AllowedCPUs"][1] == "0-19"


@pytest.mark.parametrize("answer", [_answer("Id=other.slice\n"), _answer("", 1, "no bus"), unreadable("no"), absent()])
def test_a_unit_that_nobody_tells_of_is_not_taken_for_one(answer: Observed[CommandOutput]) -> None:
    assert _found(_UNIT, Readings(commands={_SHOW: answer}))["work.slice AllowedCPUs"][1] is None


def test_a_container_without_a_cpuset_has_all_cpus() -> None:
    boxes = [{"Id": "x"}, {"Id": "abc", "HostConfig": {"CpusetCpus": ""}}]
    key = ("docker", "inspect")
    assert _found(_BOX, Readings(commands={key: _answer(json.dumps(boxes))})) == {"abc": (State.PRESENT, "0-19")}
    assert _found(_BOX, Readings(commands={key: _answer("[]")})) == {"abc": (State.ABSENT, None)}
    assert _found(_BOX, Readings(commands={key: _answer("nonsense")})) == {"abc": (State.ABSENT, None)}
    assert _found(_BOX, Readings(commands={key: unreadable("no docker")}))["abc"][0] is State.UNREADABLE


def test_one_round_trip_reads_each_thing_once() -> None:
    step = ValueStep(path="/proc/sys/vm/swappiness", text="1")
    assert reads_of((step, step)) == (ReadFile(path=step.path),)
    assert len(reads_of((_IRQ, _TASK, _UNIT, _BOX))) == 8


@pytest.mark.parametrize(
    ("one", "other", "form", "same"),
    [
        ("0-3", "0,1,2,3", "cpulist", True),
        ("0-3", "0-4", "cpulist", False),
        ("x", "x", "cpulist", False),
        ("ff", "0000,000000ff", "mask", True),
        ("1 2", "1\t2", "words", True),
    ],
)
def test_values_are_compared_as_what_they_are(one: str, other: str, form: str, same: bool) -> None:  # noqa: FBT001
    assert same_value(one, other, form) is same

"""Steps on this machine's real kernel and file systems: interrupts, settings, threads, attributes, full disks.

Runtime values are remembered and restored whatever happens; threads are the test's own children, file systems its own.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.support.kernel import kept_kernel
from tests.support.steps import kind_named

from sparktune.agent.failures import StepFailed
from sparktune.agent.machine import Machine
from sparktune.agent.machines import machine_of
from sparktune.agent.numbers import cpus_of, format_cpus
from sparktune.agent.tree import Tree

pytestmark = pytest.mark.root

_TWO_THREADS = """
import sys, threading
threading.Thread(target=sys.stdin.read, daemon=True).start()
print("ready", flush=True)
threading.Event().wait()
"""


@pytest.fixture(name="machine")
def _machine() -> Iterator[Machine]:
    with kept_kernel():
        yield machine_of(Tree())


def _step(kind: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - as JSON has them
    return {"kind": kind, "change": "test", "expect": {}, **fields}


def _text(path: str) -> str:
    return Path(path).read_text("ascii").strip()


def _first_cpu() -> int:
    return min(os.sched_getaffinity(0))


def _devices() -> list[str]:
    found = sorted(path.parent.name for path in Path("/sys/bus/pci/devices").glob("*/msi_irqs"))
    if not found:
        pytest.skip("no PCI device here has message-signalled interrupts")
    return found


def test_real_interrupts_move_and_come_back(machine: Machine) -> None:
    """What the kernel lets move has what was asked for; a queue that it places itself is told apart from a failure."""
    kind, cpu = kind_named("irq"), _first_cpu()
    step = _step("irq", devices=_devices(), cpus=[cpu], spread=False, fixed=[], reapply=True)
    before = kind.look(machine, step)
    refused = {item for item, done in kind.do(machine, step, before).items() if done["outcome"] == "refused"}
    after = kind.look(machine, step)
    assert before
    assert all(kind.reached(step, item, after[item]) for item in before.keys() - refused)
    assert all(kind.same(step, before[item], after[item]) for item in refused)

    fixed = {**step, "fixed": sorted(refused)}
    again = kind.do(machine, fixed, after)
    assert {again[item]["outcome"] for item in refused} <= {"managed"}
    assert {again[item]["outcome"] for item in before.keys() - refused} <= {"already"}

    for item in before:
        if item not in refused:
            kind.put_back(machine, step, item, before[item])
    now = kind.look(machine, step)
    assert all(kind.same(step, before[item], now[item]) for item in before)


def test_queues_of_a_virtual_disk_are_the_kernels_own(machine: Machine) -> None:
    """The one kind of managed interrupt that virtual machines have; a kernel that moves it would be news."""
    rows = [line.split() for line in Path("/proc/interrupts").read_text("ascii").splitlines()]
    irqs = [row[0].rstrip(":") for row in rows if "-req." in row[-1]]
    if not irqs:
        pytest.skip("no virtual disk here")
    device = next(path.parent.parent.name for path in Path("/sys/bus/pci/devices").glob(f"*/msi_irqs/{irqs[0]}"))
    kind = kind_named("irq")
    step = _step("irq", devices=[device], cpus=[_first_cpu()], spread=False, fixed=[f"{device}#1"])
    done = kind.do(machine, step, kind.look(machine, step))
    assert done[f"{device}#1"]["outcome"] == "managed"


def test_interrupts_of_cpus_that_there_are_not(machine: Machine) -> None:
    kind = kind_named("irq")
    step = _step("irq", devices=_devices()[-1:], cpus=[4000], spread=False, fixed=[])
    before = kind.look(machine, step)
    done = kind.do(machine, step, before)
    assert {one["outcome"] for one in done.values()} == {"refused"}
    assert all("CPU" in one["why"] for one in done.values()), done
    assert kind.look(machine, step) == before


def test_a_real_setting_changes_and_comes_back(machine: Machine) -> None:
    kind = kind_named("value")
    path = "/proc/sys/vm/swappiness"
    wanted = "7" if _text(path) != "7" else "8"
    step = _step("value", path=path, text=wanted, form="words", lasting=True)
    before = kind.look(machine, step)
    assert kind.do(machine, step, before)[path]["outcome"] == "changed"
    assert _text(path) == wanted
    assert kind.do(machine, step, before)[path]["outcome"] == "already"
    kind.put_back(machine, step, path, before[path])
    assert kind.look(machine, step) == before


def test_a_setting_that_the_kernel_does_not_take(machine: Machine) -> None:
    """A failure has the kernel's own reason, and leaves the value."""
    kind = kind_named("value")
    step = _step("value", path="/proc/sys/vm/swappiness", text="5000", form="words")
    before = kind.look(machine, step)
    with pytest.raises(StepFailed, match=r"swappiness: the value is not taken \(Invalid argument\)"):
        kind.do(machine, step, before)
    assert kind.look(machine, step) == before
    locked = _step("value", path="/proc/sys/kernel/osrelease", text="9", form="words")
    with pytest.raises(StepFailed, match=r"osrelease: (may not be written|the kernel)"):
        kind.do(machine, locked, kind.look(machine, locked))


def test_threads_of_a_process_are_pinned_one_by_one(machine: Machine) -> None:
    """Every thread counts: taskset on a process moves its first one only. A number alone makes no thread."""
    kind, cpu = kind_named("affinity"), _first_cpu()
    with subprocess.Popen([sys.executable, "-c", _TWO_THREADS], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == b"ready\n"
            tasks = [_task(child.pid, int(path.name)) for path in sorted(Path(f"/proc/{child.pid}/task").iterdir())]
            step = _step("affinity", tasks=tasks, cpus=[cpu])
            before = kind.look(machine, step)
            done = kind.do(machine, step, before)
            assert len(done) == 2
            assert {one["outcome"] for one in done.values()} <= {"changed", "already"}
            assert all(os.sched_getaffinity(task["tid"]) == {cpu} for task in tasks)
            for item in before:
                kind.put_back(machine, step, item, before[item])
            assert kind.look(machine, step) == before

            other = _step("affinity", tasks=[{**tasks[0], "start_time": tasks[0]["start_time"] + 1}], cpus=[cpu])
            assert {one["outcome"] for one in kind.do(machine, other, {}).values()} == {"gone"}
            assert kind.look(machine, step) == before
        finally:
            child.kill()
    assert {one["outcome"] for one in kind.do(machine, step, before).values()} == {"gone"}


def _task(pid: int, tid: int) -> dict[str, int]:
    stat = Path(f"/proc/{pid}/task/{tid}/stat").read_text("ascii")
    return {"pid": pid, "tid": tid, "start_time": int(stat[stat.rfind(")") + 1 :].split()[19])}


def test_a_thread_whose_cpuset_has_none_of_the_cpus(machine: Machine) -> None:
    """What a cpuset does not have cannot be given to a thread: refused when nothing is left, else said to be cut."""
    folder = Path("/sys/fs/cgroup/cpuset")
    if not (folder / "cpuset.cpus").is_file() or len(cpus_of(_text(str(folder / "cpuset.cpus")))) < 2:
        pytest.skip("no cpuset hierarchy of version 1 with two CPUs here")
    kind, (first, second) = kind_named("affinity"), sorted(cpus_of(_text(str(folder / "cpuset.cpus"))))[:2]
    group = folder / f"test-{os.getpid()}"
    group.mkdir()
    try:
        (group / "cpuset.cpus").write_text(str(first))
        (group / "cpuset.mems").write_text(_text(str(folder / "cpuset.mems")))
        with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
            (group / "tasks").write_text(str(child.pid))
            tasks = [_task(child.pid, child.pid)]
            none = kind.do(machine, _step("affinity", tasks=tasks, cpus=[second]), {})
            both = kind.do(machine, _step("affinity", tasks=tasks, cpus=[first, second]), {})
            child.kill()
    finally:
        with suppress(OSError):
            group.rmdir()
    assert [one["outcome"] for one in none.values()] == ["refused"]
    assert "cpuset" in next(iter(none.values()))["why"]
    assert list(both.values()) == [
        {"outcome": "ineffective", "why": f"its cpuset leaves it {first} of {format_cpus({first, second})}"}
    ]


def test_owner_mode_time_and_attributes_come_back(tmp_path: Path) -> None:
    machine, kind, path = machine_of(Tree()), kind_named("file"), tmp_path / "setting.conf"
    path.write_bytes(b"odd \xff bytes\n")
    os.chown(path, 12345, 23456)
    path.chmod(0o4751)
    try:
        os.setxattr(path, "user.note", b"of the owner")
        os.setxattr(path, "trusted.note", b"of root")
    except OSError:
        pytest.skip("no extended attributes here")
    os.utime(path, ns=(1_000_000_001, 1_000_000_007))
    state = _state(path)
    step = _step("file", path=str(path), text="new\n", mode=0o644)
    before = kind.look(machine, step)
    kind.do(machine, step, before)
    assert path.read_text() == "new\n"
    assert _state(path)[1:-2] == state[1:-2], "owner, mode and attributes stay"
    kind.put_back(machine, step, str(path), before[str(path)])
    assert _state(path) == state


def _state(path: Path) -> tuple[Any, ...]:
    found = path.stat()
    names = {name: os.getxattr(path, name) for name in os.listxattr(path)}
    return path.name, found.st_mode, found.st_uid, found.st_gid, names, path.read_bytes(), found.st_mtime_ns


def _run(program: str, *arguments: str | Path) -> None:
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"needs the command {program}")
    subprocess.run([path, *arguments], check=True)


@pytest.fixture(name="small_disk")
def _small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    _run("mount", "-t", "tmpfs", "-o", "size=64k", "test", folder)
    try:
        yield folder
    finally:
        _run("umount", "-l", folder)


def test_a_full_disk_leaves_what_was_there(small_disk: Path) -> None:
    """A text that does not fit is no half of a text; neither a temporary file nor a new folder stays."""
    machine, kind = machine_of(Tree()), kind_named("file")
    (small_disk / "a.conf").write_text("before\n")
    step = _step("file", path=str(small_disk / "a.conf"), text="x" * 200_000, mode=0o644)
    new = _step("file", path=str(small_disk / "new/folder/b.conf"), text="x" * 200_000, mode=0o644)
    before = kind.look(machine, step)
    for one in (step, new):
        with pytest.raises(StepFailed, match=r"no space is left \(No space left on device\)"):
            kind.do(machine, one, kind.look(machine, one))
    assert kind.look(machine, step) == before
    assert sorted(small_disk.iterdir()) == [small_disk / "a.conf"]


def test_a_read_only_file_system_says_so(small_disk: Path) -> None:
    machine = machine_of(Tree())
    (small_disk / "a.conf").write_text("before\n")
    _run("mount", "-o", "remount,ro", small_disk)
    path = small_disk / "a.conf"
    for kind, fields in (("file", {"text": "x", "mode": 0o644}), ("file", {"text": None, "mode": 0o644})):
        step = _step(kind, path=str(path), **fields)
        with pytest.raises(StepFailed, match=r"lies on a read-only file system"):
            kind_named(kind).do(machine, step, kind_named(kind).look(machine, step))
    link = _step("link", path=str(small_disk / "b"), target="a.conf")
    with pytest.raises(StepFailed, match=r"lies on a read-only file system"):
        kind_named("link").do(machine, link, kind_named("link").look(machine, link))
    assert path.read_text() == "before\n"


def test_a_file_that_something_is_mounted_on(small_disk: Path, tmp_path: Path) -> None:
    """Docker mounts single files: one cannot be replaced, and is left whole."""
    (small_disk / "a.conf").write_text("below\n")
    (tmp_path / "above").write_text("above\n")
    _run("mount", "--bind", tmp_path / "above", small_disk / "a.conf")
    try:
        machine, kind = machine_of(Tree()), kind_named("file")
        step = _step("file", path=str(small_disk / "a.conf"), text="new\n", mode=0o644)
        with pytest.raises(StepFailed, match="something is mounted on it"):
            kind.do(machine, step, kind.look(machine, step))
        assert (tmp_path / "above").read_text() == "above\n"
        assert sorted(small_disk.iterdir()) == [small_disk / "a.conf"]
    finally:
        _run("umount", small_disk / "a.conf")

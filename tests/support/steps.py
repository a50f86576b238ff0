"""One sample step of every kind that changes something, and a captured tree that has what they need."""

import json
import os
import stat
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from sparktune.agent.kind import Kind
from sparktune.agent.protocol import command_slug

GPU = "000f:01:00.0"
NIC = "0000:01:00.0"
CONTAINER = "c0ffee" + "0" * 58
PID, WORKER = 4711, 4712
STARTED = 98765
_SLICES = ("init.scope", "system.slice", "user.slice", "machine.slice", "inference.slice")
_SHOW_SLICES = ("systemctl", "show", "-p", "Id,AllowedCPUs", *_SLICES)
_SHOW_SERVICES = ("systemctl", "show", "-p", "Id,LoadState,ActiveState", "irqbalance.service", "tuned.service")
_SHOW_TARGETS = ("systemctl", "show", "-p", "Id,ActiveState", "multi-user.target", "graphical.target")
_SCOPE = f"/system.slice/docker-{CONTAINER}.scope"
# What is no state of the node: the journal's folder and the lock's.
_NOT_COUNTED = ("/var/lib/sparktune", "/run/lock")


def kind_named(name: str) -> Kind:
    """Return a kind of step."""
    kind = import_module(f"sparktune.agent.steps.{name}").KIND
    assert isinstance(kind, Kind)
    return kind


def sample_steps() -> dict[str, dict[str, Any]]:
    """Return one step per kind, as it comes over the wire; each changes something in ``sample_tree``."""
    return {
        "file": _step("file", path="/etc/sysctl.d/99-zz-test.conf", text="vm.swappiness = 1\n", mode=0o644),
        "file-new": _step("file", path="/etc/systemd/system/new.slice.d/10.conf", text="[Slice]\n", mode=0o640),
        "file-gone": _step("file", path="/etc/sysctl.d/99-zz-test.conf", text=None, mode=0o644),
        "link": _step(
            "link", path="/etc/systemd/system/default.target", target="/lib/systemd/system/multi-user.target"
        ),
        "link-new": _step("link", path="/etc/systemd/system/x.wants/a.service", target="../a.service"),
        "value": _step("value", path="/proc/sys/vm/swappiness", text="1", form="words", lasting=True, reapply=False),
        "irq": _step("irq", devices=[GPU, NIC], cpus=[0, 1], spread=False, fixed=[f"{NIC}#2"], reapply=True),
        "irq-spread": _step("irq", devices=[NIC], cpus=[3, 2], spread=True, fixed=[f"{NIC}#2"], reapply=True),
        "affinity": _step("affinity", tasks=[_task(PID), _task(WORKER)], cpus=[2, 3]),
        "threads": _step(
            "threads", exe="engine", process="engine (1)", thread="poller", cpus=[1], which="named", reapply=True
        ),
        "threads-main": _step(
            "threads", exe="engine", process="engine (1)", thread="", cpus=[2, 3], which="main", reapply=False
        ),
        "property": _step("property", unit="system.slice", name="AllowedCPUs", value="0-1"),
        "property-scope": _step("property", unit="init.scope", name="AllowedCPUs", value="0-1"),
        "property-new": _step("property", unit="inference.slice", name="AllowedCPUs", value="2-3"),
        "reload": _step("reload", manager="systemd"),
        "service": _step("service", unit="irqbalance.service", do="stop"),
        "service-restart": _step("service", unit="irqbalance.service", do="restart"),
        "isolate": _step("isolate", target="multi-user.target", back="graphical.target"),
        "container": _step("container", container=CONTAINER, cpus="2-3", all_cpus="0-3"),
    }


def _task(tid: int) -> dict[str, int]:
    return {"pid": PID, "tid": tid, "start_time": STARTED}


def _step(kind: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - as JSON has them
    return {"kind": kind, "change": "test", "expect": {}, **fields}


def sample_tree(folder: Path) -> Path:
    """Write a node with four CPUs, a network adapter whose last vector nobody may move, a container and services."""
    for path, text in {**_settings(), **_interrupts(), **_tasks(), **_cgroups()}.items():
        _write(folder, path, text)
    for argv, text in _commands().items():
        _write(folder, f"/commands/{command_slug(argv)}.txt", text)
    for name in ("var/lib", "run/lock"):
        (folder / name).mkdir(parents=True)
    link = folder / "etc/systemd/system/default.target"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to("/lib/systemd/system/graphical.target")
    (folder / f"proc/{PID}/exe").symlink_to("/usr/bin/engine (deleted)")
    (folder / "etc/sysctl.d/99-zz-test.conf").chmod(0o600)
    return folder


def tree_state(root: Path) -> dict[str, tuple[Any, ...]]:
    """Return all that makes a tree: kind, mode, owner, content and time of files and links, modes of folders."""
    return dict(_states(root))


def _states(root: Path) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if _inside(root, folder, name) not in _NOT_COUNTED]
        for name in (*folders, *files):
            path = Path(folder, name)
            found = path.lstat()
            owner = (stat.S_IFMT(found.st_mode), found.st_mode, found.st_uid, found.st_gid)
            if path.is_symlink():
                yield _inside(root, folder, name), (*owner, str(path.readlink()), found.st_mtime_ns)
            elif path.is_dir():
                yield _inside(root, folder, name), owner
            else:
                yield _inside(root, folder, name), (*owner, path.read_bytes(), found.st_mtime_ns)


def _inside(root: Path, folder: str, name: str) -> str:
    return f"/{Path(folder, name).relative_to(root)}"


def _write(folder: Path, path: str, text: str) -> None:
    target = folder / path.lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, "utf-8")


def _settings() -> dict[str, str]:
    return {
        "/etc/sysctl.d/99-zz-test.conf": "vm.swappiness = 60\n",
        "/proc/sys/vm/swappiness": "60\n",
        "/proc/sys/kernel/random/boot_id": "00000000-0000-4000-8000-000000000001\n",
        "/sys/devices/system/cpu/online": "0-3\n",
        "/sys/devices/virtual/workqueue/cpumask": "f\n",
    }


def _interrupts() -> dict[str, str]:
    vectors = [(40, GPU, "nvidia", 3), (50, NIC, "mlx5_async0", 2), (51, NIC, "mlx5_comp0", 3), (52, NIC, "nvme0q1", 1)]
    files = {"/proc/interrupts": "       CPU0 CPU1 CPU2 CPU3\n"}
    for irq, device, name, cpu in vectors:
        files["/proc/interrupts"] += f"{irq:>4}:   1    2    3    4  ITS-PCI-MSIX-{device} 0 Edge      {name}\n"
        files[f"/proc/irq/{irq}/smp_affinity_list"] = "0-3\n"
        files[f"/proc/irq/{irq}/smp_affinity"] = "f\n"
        files[f"/proc/irq/{irq}/effective_affinity_list"] = f"{cpu}\n"
        files[f"/sys/bus/pci/devices/{device}/msi_irqs/{irq}"] = "msix\n"
    return files


def _tasks() -> dict[str, str]:
    files = {"/proc/1/status": "Name:\tsystemd\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\n"}
    files[f"/proc/{PID}/comm"] = "engine (1)\n"
    for tid, name in ((PID, "engine (1)"), (WORKER, "poller")):
        files[f"/proc/{PID}/task/{tid}/comm"] = f"{name}\n"
        rest = " ".join("0" for _ in range(18))
        files[f"/proc/{PID}/task/{tid}/stat"] = f"{tid} (engine (1)) S {rest} {STARTED} 0 0\n"
        files[f"/proc/{PID}/cgroup"] = f"0::{_SCOPE}\n"
        files[f"/proc/{PID}/task/{tid}/status"] = (
            "Name:\tengine\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\nThreads:\t2\n"
        )
    return files


def _cgroups() -> dict[str, str]:
    files = {}
    for group in ("/init.scope", "/system.slice", "/user.slice", _SCOPE):
        files[f"/sys/fs/cgroup{group}/cpuset.cpus"] = "\n"
        files[f"/sys/fs/cgroup{group}/cpuset.cpus.effective"] = "0-3\n"
    return files | {"/sys/fs/cgroup/cgroup.controllers": "cpuset cpu io memory pids\n"}


def _commands() -> dict[tuple[str, ...], str]:
    inspected = {
        "Id": CONTAINER,
        "Name": "/vllm",
        "State": {"Running": True, "Pid": PID},
        "HostConfig": {"CpusetCpus": ""},
    }
    services = {"irqbalance.service": "active", "tuned.service": "inactive"}
    return {
        ("systemctl", "get-default"): "graphical.target\n",
        _SHOW_SLICES: "\n".join(f"Id={unit}\nAllowedCPUs=\n" for unit in _SLICES[:-1]),
        _SHOW_TARGETS: "\n".join(f"Id={unit}\nActiveState=active\n" for unit in _SHOW_TARGETS[4:]),
        _SHOW_SERVICES: "\n".join(
            f"Id={unit}\nLoadState=loaded\nActiveState={word}\n" for unit, word in services.items()
        ),
        ("docker", "inspect"): json.dumps([inspected], indent=4) + "\n",
        ("uname", "-m"): "aarch64\n",
    }

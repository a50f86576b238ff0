"""An Arm machine with two kinds of CPUs and control groups of version 2: cpusets of slices count at once, and at boot.

``SPARKTUNE_ARM_GUEST`` names it for ssh, as root; docs/guides/arm-guest.md says how to make one. The rest of it is
changed and put back; it is rebooted.
"""

import json
import os
import shlex
import subprocess
import sys
from typing import Any

import pytest

from sparktune.errors import ExitCode
from sparktune.host.cpulist import CpuSet, format_cpulist, parse_cpulist

_GUEST = os.environ.get("SPARKTUNE_ARM_GUEST", "")
# A guest is emulated: a boot takes minutes.
pytestmark = [
    pytest.mark.skipif(not _GUEST, reason="needs an Arm guest, see docs/guides/arm-guest.md"),
    pytest.mark.timeout(1800),
]

_CPUS = "/sys/devices/system/cpu"
_SLOW_MIDR, _FAST_MIDR = "0x00000000410fd871", "0x00000000410fd851"
_UNITS = ("system.slice", "user.slice", "init.scope")
_WITHOUT = "irq-affinity"  # the guest has no device of NVIDIA's


def _run(script: str, *, check: bool = True) -> str:
    ssh = shlex.split(os.environ.get("SPARKTUNE_SSH", "ssh"))
    done = subprocess.run((*ssh, _GUEST, script), capture_output=True, text=True, check=False)
    assert not check or done.returncode == 0, f"{script}: {done.stdout}{done.stderr}"
    return done.stdout.strip()


def _host(*words: str) -> tuple[int, dict[str, Any]]:
    command = (sys.executable, "-m", "sparktune", "host", *words, "--nodes", _GUEST, "--json", "--quiet")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    (report,) = json.loads(done.stdout)["nodes"]
    assert report["error"] is None, report
    return done.returncode, report


def _two_kinds() -> tuple[CpuSet, CpuSet]:
    """Lay registers of two cores over those that the emulator has for all; return all CPUs, and the slower ones."""
    lines = _run(f"grep -H . {_CPUS}/cpu[0-9]*/cpu_capacity").splitlines()
    capacity = {int(line.split("/cpu")[2].split("/")[0]): int(line.rpartition(":")[2]) for line in lines}
    slow = frozenset(cpu for cpu, value in capacity.items() if value < max(capacity.values()))
    commands = [f"echo {_SLOW_MIDR} >/run/slow; echo {_FAST_MIDR} >/run/fast"]
    for cpu in capacity:
        kind = "slow" if cpu in slow else "fast"
        commands.append(f"mount --bind /run/{kind} {_CPUS}/cpu{cpu}/regs/identification/midr_el1")
    _run(" && ".join(commands))
    return frozenset(capacity), slow


def _effective() -> dict[str, CpuSet]:
    """Return the cores of each unit; one that nobody asked a cpuset for has no file, and all cores."""
    root, name = "/sys/fs/cgroup", "cpuset.cpus.effective"
    return {unit: parse_cpulist(_run(f"cat {root}/{unit}/{name} 2>/dev/null || cat {root}/{name}")) for unit in _UNITS}


def _statuses(report: dict[str, Any], change: str) -> set[str]:
    return {check["status"] for check in report["checks"] if check["change"] == change}


def _reboot() -> None:
    boot = _run("cat /proc/sys/kernel/random/boot_id")
    _run("systemctl reboot", check=False)
    while _run("cat /proc/sys/kernel/random/boot_id", check=False) in {"", boot}:
        pass  # never is a timeout of this test


def test_slices_get_their_cores_at_once_and_at_boot_and_give_them_back() -> None:
    everything, slow = _two_kinds()
    assert _effective() == dict.fromkeys(_UNITS, everything)

    code, applied = _host("apply", "--yes", "--without", _WITHOUT)
    assert applied["state"] == "applied", applied
    assert code in {ExitCode.DONE, ExitCode.DIFFERENCES}, applied["checks"]
    assert _statuses(applied, "slices") == {"OK"}, applied["checks"]
    assert _effective() == dict.fromkeys(_UNITS, slow)
    code, again = _host("plan", "--without", _WITHOUT)
    assert (code, again["steps"]) == (ExitCode.DONE, [])

    _reboot()
    _two_kinds()
    assert _effective() == dict.fromkeys(_UNITS, slow), f"files give them {format_cpulist(slow)} at boot"
    _code, verified = _host("verify")
    assert _statuses(verified, "slices") == {"OK"}, verified["checks"]

    code, reverted = _host("revert", "--yes")
    assert (code, reverted["state"]) == (ExitCode.DONE, "reverted"), reverted
    _reboot()
    _two_kinds()
    assert _effective() == dict.fromkeys(_UNITS, everything)

"""This machine: its kernel's values are written where the kernel has them, its programs are asked in fixed words.

Sources: systemctl(1), udevadm(8), docker-update(1), sched_setaffinity(2). The command lines below are all that is ever
started to change something; names of units and containers go in only where they look like such names.
"""

__all__ = ["LiveMachine"]

import errno
import json
import os
import re
import time
from typing import Any

from sparktune.agent.failures import StepFailed
from sparktune.agent.machine import Kept, Machine
from sparktune.agent.running import run_program

_LONGEST_S = 100.0  # a unit may take 90 s to stop: systemd-system.conf(5), DefaultTimeoutStopSec=
_MOST_BYTES = 8 * 1024 * 1024
_PAUSE_S = 0.05
_UNIT = re.compile(r"(?!-)[A-Za-z0-9:_.\\@-]{1,240}\.(?:service|scope|slice|socket|target|timer|path|mount)")
_PROPERTY = re.compile(r"[A-Z][A-Za-z0-9]{0,63}")
_VALUE = re.compile(r"[^\0\n]{0,4096}")
_ID = re.compile(r"[0-9a-f]{64}")
_CPUS = re.compile(r"[0-9,-]{1,4096}")
_VERBS = ("start", "stop", "try-restart", "isolate")
_RELOADS = {"systemd": ("systemctl", "daemon-reload"), "udev": ("udevadm", "control", "--reload")}


class LiveMachine(Machine):
    """The only place that changes something of a running system."""

    def write_value(self, path: str, text: str) -> None:
        """Write at once: the kernel takes one write as one value."""
        data = text.encode()
        handle = os.open(self.tree.real(path), os.O_WRONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            if os.write(handle, data) != len(data):
                raise OSError(errno.EIO, "only a part was taken")
        finally:
            os.close(handle)

    def restore_value(self, path: str, text: str, kept: Kept) -> None:
        """Write what was there; what follows from it the kernel does itself."""
        del kept
        self.write_value(path, text)

    def kept(self, *paths: str) -> Kept:
        """Return nothing: the kernel keeps what follows from its values."""
        del paths
        return {}

    def set_affinity(self, pid: int, tid: int, cpus: frozenset[int]) -> None:
        """Ask the kernel, which knows threads by their number alone."""
        del pid
        os.sched_setaffinity(tid, cpus)

    def restore_affinity(self, pid: int, tid: int, cpus: frozenset[int], kept: Kept) -> None:
        """Ask the kernel."""
        del kept
        self.set_affinity(pid, tid, cpus)

    def unit_properties(self, unit: str, *names: str) -> dict[str, str]:
        """Ask systemd."""
        wanted = ",".join(_checked(name, _PROPERTY) for name in names)
        said = _said(["systemctl", "show", f"--property={wanted}", "--", _checked(unit, _UNIT)])
        pairs = (line.partition("=") for line in said.splitlines())
        return {name: value for name, sign, value in pairs if sign}

    def set_property(self, unit: str, name: str, value: str) -> None:
        """Let systemd set it, and write its own drop-in below /run."""
        assignment = f"{_checked(name, _PROPERTY)}={_checked(value, _VALUE)}"
        _said(["systemctl", "set-property", "--runtime", "--", _checked(unit, _UNIT), assignment])

    def restore_property(self, unit: str, name: str, value: str, kept: Kept) -> None:
        """Let systemd set it."""
        del kept
        self.set_property(unit, name, value)

    def kept_of_unit(self, unit: str) -> Kept:
        """Return nothing."""
        del unit
        return {}

    def reload(self, manager: str) -> None:
        """Ask the manager."""
        if manager not in _RELOADS:
            message = f"nothing is known of a manager {manager!r}"
            raise StepFailed(message)
        _said([*_RELOADS[manager]])

    def manage(self, verb: str, unit: str) -> None:
        """Ask systemd, and wait until it is done."""
        if verb not in _VERBS:
            message = f"units are not made to {verb!r}"
            raise StepFailed(message)
        _said(["systemctl", "--no-ask-password", verb, "--", _checked(unit, _UNIT)])

    def container(self, full_id: str) -> dict[str, Any] | None:
        """Ask Docker."""
        said, code, words = _ran(["docker", "container", "inspect", "--", _checked(full_id, _ID)])
        if code:
            if "no such container" in words.lower():
                return None
            message = f"docker: {words}"
            raise StepFailed(message)
        try:
            found = json.loads(said)
        except (ValueError, RecursionError):
            found = None
        if not (isinstance(found, list) and len(found) == 1 and isinstance(found[0], dict)):
            message = "docker does not answer with one container"
            raise StepFailed(message)
        return found[0] if found[0].get("Id") == full_id else None

    def set_cpuset(self, full_id: str, cpus: str) -> None:
        """Ask Docker."""
        _said(["docker", "update", f"--cpuset-cpus={_checked(cpus, _CPUS)}", "--", _checked(full_id, _ID)])

    def restore_cpuset(self, full_id: str, before: str, all_cpus: str, kept: Kept) -> None:
        """Ask Docker, which cannot take a cpuset away: an empty one means no change to it."""
        del kept
        self.set_cpuset(full_id, before or all_cpus)

    def kept_of_container(self, full_id: str) -> Kept:
        """Return nothing."""
        del full_id
        return {}

    def pause(self) -> None:
        """Sleep."""
        time.sleep(_PAUSE_S)


def _checked(word: str, form: re.Pattern[str]) -> str:
    if not form.fullmatch(word):
        message = f"that is no name or value of a command: {word[:80]!r}"
        raise StepFailed(message)
    return word


def _said(argv: list[str]) -> str:
    """Run a program that has to succeed; return what it printed."""
    said, code, words = _ran(argv)
    if code:
        message = f"{' '.join(argv)}: {words or f'exit code {code}'}"
        raise StepFailed(message)
    return said


def _ran(argv: list[str]) -> tuple[str, int, str]:
    """Return what a program printed, its exit code and its complaint."""
    result = run_program(argv, time.monotonic() + _LONGEST_S, _MOST_BYTES)
    if result["state"] != "present":
        message = f"{argv[0]}: {result.get('why', 'it is not installed')}"
        raise StepFailed(message)
    value = result["value"]
    complaint = " ".join((value["stderr"].strip() or value["stdout"].strip()).split())[:500]
    return str(value["stdout"]), int(value["code"]), complaint

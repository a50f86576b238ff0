"""Targets of systemd: where their unit files lie, and whether a graphical session runs.

Sources: systemd.unit(5) for the folders by priority and for masking (a link to /dev/null); systemd.special(7),
graphical.target and display-manager.service; systemd(1), systemd.unit= and the runlevels 1 to 5 of the kernel's command
line, which count before the default target.
"""

__all__ = ["SHOW_TARGETS", "BootTarget", "boot_target_reads", "graphical_state", "override_on_cmdline", "target_file"]

import re
from dataclasses import dataclass

from sparktune.host.facts._shared import output, unit_blocks
from sparktune.host.facts.kernel import KernelFacts
from sparktune.model.node import NodeFacts
from sparktune.model.observed import Observed, absent, present, unreadable
from sparktune.model.reads import Read, ReadCommand, Readings, ReadLinks, ReadNames

# /lib is /usr/lib where the two are merged, and comes last: systemd's own path is the one to write then
_FOLDERS = ("/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system")
_SPLIT = "/lib/systemd/system"
SHOW_TARGETS = (
    "systemctl",
    "show",
    "-p",
    "Id,ActiveState",
    "graphical.target",
    "multi-user.target",
    "display-manager.service",
)
_MASKED = "/dev/null"
_NAME = re.compile(r"[A-Za-z0-9:_.@-]{1,200}\.target", re.ASCII)
_LEVELS = {"1": "rescue.target", "s": "rescue.target", "S": "rescue.target", "single": "rescue.target"} | {
    **dict.fromkeys(("2", "3", "4"), "multi-user.target"),
    "5": "graphical.target",
    "rescue": "rescue.target",
    "emergency": "emergency.target",
    "-b": "emergency.target",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BootTarget:
    """The unit file that a target has, ``path``; ``wrong`` says why it cannot be booted, else empty."""

    path: str = ""
    wrong: str = ""


def boot_target_reads(target: str) -> tuple[Read, ...]:
    """Return what is to be known of a target, and of the session that runs."""
    if not _NAME.fullmatch(target):
        return (ReadCommand(argv=SHOW_TARGETS),)
    paths = tuple(f"{folder}/{target}" for folder in (*_FOLDERS, _SPLIT))
    return (
        *(ReadNames(pattern=path) for path in paths),
        *(ReadLinks(pattern=path) for path in paths),
        ReadCommand(argv=SHOW_TARGETS),
    )


def target_file(readings: Readings, target: str) -> BootTarget:
    """Return the unit file that systemd would take for a target."""
    if not _NAME.fullmatch(target):
        return BootTarget(wrong=f"{target!r} is no name of a target, like multi-user.target")
    for folder in (*_FOLDERS, _SPLIT):
        path = f"{folder}/{target}"
        if path in readings.names.get(path, ()):
            leads_to = readings.links.get(path, {}).get(path, "")
            return BootTarget(path=path, wrong=f"{path} is masked" if leads_to == _MASKED else "")
    return BootTarget(wrong=f"no unit file of {target} is there: the machine would not boot into it")


def graphical_state(readings: Readings) -> Observed[str]:
    """Return the state of graphical.target, as systemd calls it: active, inactive ..."""
    shown = output(readings.command(*SHOW_TARGETS))
    if shown.value is None:
        return shown
    state = unit_blocks(shown.value).get("graphical.target", {}).get("ActiveState")
    return present(state) if state else unreadable("systemctl show does not name graphical.target")


def override_on_cmdline(facts: NodeFacts) -> Observed[str]:
    """Return the target that the kernel's command line asks for instead of the default one; the last word counts."""
    kernel = facts.get(KernelFacts)
    found: Observed[str] = absent()
    for argument in (kernel.arguments.value or ()) if kernel is not None else ():
        if argument.startswith("systemd.unit="):
            found = present(argument.partition("=")[2])
        elif argument in _LEVELS:
            found = present(_LEVELS[argument])
    return found

"""What TuneD sets of the kernel's settings: the active profile's [sysctl], with what it includes.

Sources: tuned.conf(5) and tuned-profiles(7) for the folders and ``include=``; tuned-main.conf(5), ``reapply_sysctl``:
with it, the default, TuneD applies the files of the system (sysctl.d, /etc/sysctl.conf last) after its own.
"""

__all__ = ["TunedLine", "tuned_line", "tuned_overrules", "tuned_reads"]

import re
from dataclasses import dataclass

from sparktune.host.facts.irq_services import IrqServicesFacts
from sparktune.model.node import NodeFacts
from sparktune.model.reads import Read, ReadFile, ReadFiles, Readings

_MAIN = "/etc/tuned/tuned-main.conf"
# The first folder that has a profile counts
_FOLDERS = ("/etc/tuned/profiles", "/etc/tuned", "/usr/lib/tuned/profiles", "/usr/lib/tuned")
_PATTERNS = tuple(f"{folder}/*/tuned.conf" for folder in _FOLDERS)
_REAPPLY = re.compile(r"^\s*reapply_sysctl\s*=\s*(\S+)", re.MULTILINE)
_OFF = frozenset({"0", "false", "no", "off"})
_DEEPEST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class TunedLine:
    """A line of a TuneD profile that sets a key; the value may hold TuneD's own variables."""

    profile: str
    path: str
    line: int
    value: str


def active_profile(facts: NodeFacts) -> str | None:
    """Return the profile that TuneD has in force, None when it does not run."""
    services = facts.get(IrqServicesFacts)
    daemon = services.service("tuned") if services is not None else None
    if services is None or daemon is None or daemon.active != "active":
        return None
    return services.tuned_profile.value or ""


def tuned_reads(facts: NodeFacts) -> tuple[Read, ...]:
    """Return what has to be read where TuneD runs."""
    if active_profile(facts) is None:
        return ()
    return (ReadFile(path=_MAIN), *(ReadFiles(pattern=pattern) for pattern in _PATTERNS))


def tuned_line(facts: NodeFacts, readings: Readings, key: str) -> TunedLine | None:
    """Return the line of the active profiles that decides a key, if any."""
    found = None
    for profile in (active_profile(facts) or "").split():
        found = _line(readings, profile, key, _DEEPEST) or found
    return found


def tuned_overrules(readings: Readings) -> bool:
    """Whether TuneD leaves its own values in force rather than those of the system's files."""
    found = _REAPPLY.findall(readings.file(_MAIN).value or "")
    return bool(found) and found[-1].lower() in _OFF


def _line(readings: Readings, profile: str, key: str, depth: int) -> TunedLine | None:
    """Look in a profile, then in what it includes: its own lines win."""
    paths = ((f"{folder}/{profile}/tuned.conf", pattern) for folder, pattern in zip(_FOLDERS, _PATTERNS, strict=True))
    path, text = next(
        ((path, text) for path, pattern in paths if (text := readings.matching(pattern).get(path))), ("", None)
    )
    if text is None or text.value is None or not depth:
        return None
    section, own, included = "", None, ""
    for number, line in enumerate(text.value.splitlines(), start=1):
        stripped = line.strip()
        name, sign, value = stripped.partition("=")
        if stripped.startswith("[") and stripped.endswith("]"):
            section = stripped[1:-1]
        elif sign and not stripped.startswith(("#", ";")):
            if section == "sysctl" and name.strip() == key:
                own = TunedLine(profile=profile, path=path, line=number, value=value.split("#", 1)[0].strip())
            elif section == "main" and name.strip() == "include":
                included = value.strip()
    if own is not None:
        return own
    lines = (_line(readings, one, key, depth - 1) for one in reversed(re.split(r"[,;\s]+", included)) if one)
    return next((line for line in lines if line is not None), None)

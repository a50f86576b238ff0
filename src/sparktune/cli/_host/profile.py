"""What a host profile was asked for on the command line, and the profile that it means."""

__all__ = ["confirm_window", "profile_of"]

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TypeVar

from sparktune.cli._host.flags import ProfileFlags
from sparktune.errors import UsageError
from sparktune.host.changes import all_changes
from sparktune.model.profile import EarlyoomStance, IrqPolicy, Mode, Profile
from sparktune.units import Seconds

_Choice = TypeVar("_Choice", bound=Enum)
_PROFILES = ("inference",)
_SYSCTL = re.compile(r"(?P<key>[A-Za-z0-9_-]+(?:[./][A-Za-z0-9_-]+)+)\s*=\s*(?P<value>\S[^\n\0]*)", re.ASCII)
_PCI = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]", re.ASCII)
_TARGET = re.compile(r"[A-Za-z0-9:_.@-]+\.target", re.ASCII)
_TIME = re.compile(r"(?P<number>\d{1,5})(?P<unit>s|min|m|)", re.ASCII)
_UNIT_S = {"": 1, "s": 1, "m": 60, "min": 60}
_SHORTEST_S, _LONGEST_S = 10, 3600


def profile_of(flags: ProfileFlags) -> Profile:
    """Return the profile that the flags describe. Raises UsageError for what no node could understand."""
    standard = Profile()
    if flags.profile and flags.profile not in _PROFILES:
        message = f"there is no profile {flags.profile!r}"
        raise UsageError(message, hint=f"known: {', '.join(_PROFILES)}")
    return Profile(
        name=flags.profile or standard.name,
        mode=_choice(flags.mode, Mode, standard.mode, "--mode"),
        irq=_choice(flags.irq, IrqPolicy, standard.irq, "--irq"),
        irq_devices=tuple(_device(address) for address in flags.irq_device or ()),
        sysctls=_sysctls(standard.sysctls, flags.sysctl or ()),
        target=_target(flags.target) if flags.target else standard.target,
        isolate_now=flags.isolate_now,
        move_running=flags.move_running,
        earlyoom=_choice(flags.earlyoom, EarlyoomStance, standard.earlyoom, "--earlyoom"),
        compose_files=tuple(_compose(path) for path in flags.compose or ()),
        containers=tuple(flags.container or ()),
        without=_without(flags.without or ()),
        allow_slow=flags.allow_slow,
    )


def confirm_window(text: str) -> Seconds | None:
    """Return the seconds of ``120s``, ``2m`` or ``120``; None when nothing was written, 0 for none at all.

    Raises UsageError.
    """
    if not text:
        return None
    match = _TIME.fullmatch(text.strip())
    seconds = int(match["number"]) * _UNIT_S[match["unit"]] if match is not None else -1
    if seconds != 0 and not _SHORTEST_S <= seconds <= _LONGEST_S:
        message = f"--confirm-within {text}: a time between {_SHORTEST_S} s and {_LONGEST_S} s is wanted"
        raise UsageError(message, hint="write --confirm-within 120s or 2m; 0 means: keep it without being asked again")
    return float(seconds)


def _choice(text: str, kind: type[_Choice], standard: _Choice, flag: str) -> _Choice:
    if not text:
        return standard
    known = {str(choice.value): choice for choice in kind}
    if text not in known:
        message = f"{flag} {text!r} is not known"
        raise UsageError(message, hint=f"one of: {', '.join(known)}")
    return known[text]


def _device(address: str) -> str:
    if not _PCI.fullmatch(address.lower()):
        message = f"--irq-device {address!r} is no PCI address"
        raise UsageError(message, hint="write it as lspci -D does, for instance 0004:01:00.0")
    return address.lower()


def _sysctls(standard: Mapping[str, str], written: Sequence[str]) -> dict[str, str]:
    values = dict(standard)
    for text in written:
        match = _SYSCTL.fullmatch(text.strip())
        if match is None:
            message = f"--sysctl {text!r} is not KEY=VALUE"
            raise UsageError(message, hint="for instance --sysctl vm.swappiness=10; KEY=leave takes a key out")
        key, value = match["key"], match["value"].strip()
        if "/" in key and "." not in key.partition("/")[0]:  # sysctl's other spelling, in which dots belong to names
            key = key.translate(str.maketrans("/.", "./"))
        values.pop(key, None)
        if value != "leave":
            values[key] = value
    return values


def _target(name: str) -> str:
    if not _TARGET.fullmatch(name):
        message = f"--target {name!r} is no systemd target"
        raise UsageError(message, hint="for instance --target multi-user.target")
    return name


def _compose(path: str) -> str:
    if not path.startswith("/"):
        message = f"--compose {path!r}: a path on the node is wanted, from its root"
        raise UsageError(message, hint="for instance --compose /srv/vllm/compose.yaml")
    return path


def _without(named: Sequence[str]) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for text in named for name in text.split(",") if name.strip()))
    known = [change.id for change in all_changes()]
    for name in names:
        if name not in known:
            message = f"--without {name}: there is no such change"
            raise UsageError(message, hint=f"known: {', '.join(known)}")
    return names

"""Other programs that manage the same settings: TuneD, whose active profile would undo a change or be undone by it.

Sources: tuned/profiles/loader.py, locator.py and consts.py of TuneD 2.20 to 2.26: profiles are looked for in
/etc/tuned before /usr/lib/tuned, since 2.23 in their folders ``profiles``; ``include=`` of [main] names others that
come first; a section is a unit of the plug-in ``type=``, by default its name. tuned-ppd only chooses among these
profiles. power-profiles-daemon sets the platform's profile, governors and energy preferences, none of which is ours.
"""

__all__ = ["Claim", "managed_by_tuned", "tuned_claims", "tuned_reads"]

import configparser
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from sparktune.host.facts.irq_services import IrqServicesFacts
from sparktune.model.host_plan import HostView, Refusal
from sparktune.model.node import NodeFacts
from sparktune.model.observed import Observed, State, absent, present, unreadable
from sparktune.model.reads import Read, ReadFiles, Readings

_FOLDERS = ("/etc/tuned/profiles", "/etc/tuned", "/usr/lib/tuned/profiles", "/usr/lib/tuned")  # by priority
_PATTERNS = tuple(f"{folder}/*/tuned.conf" for folder in _FOLDERS)
_ACTIVE = frozenset({"active", "activating", "reloading"})
_MOST_PROFILES = 32
_OFF = frozenset({"0", "false", "no", "n"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One setting of the active profile: ``option`` of a unit of ``plugin``, in the file ``path``."""

    plugin: str
    option: str
    value: str
    path: str


def tuned_reads(facts: NodeFacts) -> tuple[Read, ...]:
    """Return what has to be read to know what TuneD sets; nothing where it does not run."""
    return tuple(ReadFiles(pattern=pattern) for pattern in _PATTERNS) if _profile(facts).value else ()


def managed_by_tuned(view: HostView, change: str, *keys: tuple[str, str]) -> tuple[Refusal, ...]:
    """Refuse a change whose settings the active profile of TuneD sets, too.

    ``keys`` are plug-in and option, ``*`` for any option: ``("sysctl", "vm.swappiness")``, ``("irq", "*")``.
    """
    claims = tuned_claims(view.facts, view.readings)
    profile = _profile(view.facts).value
    out = f"tuned-adm off or another profile, or --without {change}"
    if claims.state is State.UNREADABLE:
        active = f"active with the profile {profile}" if profile else "active"
        reason = f"TuneD is {active}, and what that sets is not known: {claims.why}"
        return (Refusal(change=change, reason=reason, hint=out),)
    found = [claim for claim in claims.value or () if any(_is_meant(claim, plugin, option) for plugin, option in keys)]
    if not found:
        return ()
    reason = f"managed by TuneD: its active profile {profile} sets it, and would undo this change or be undone by it"
    lines = tuple(f"{claim.path}: [{claim.plugin}] {claim.option}={claim.value}" for claim in found)
    return (Refusal(change=change, reason=reason, hint=out, evidence=lines),)


def _is_meant(claim: Claim, plugin: str, option: str) -> bool:
    """Match an option; the paths of TuneD's sysfs are shell patterns."""
    return claim.plugin == plugin and (option in {"*", claim.option} or fnmatchcase(option, claim.option))


def tuned_claims(facts: NodeFacts, readings: Readings) -> Observed[tuple[Claim, ...]]:
    """Return all that TuneD's active profile sets; ABSENT where TuneD does not run or has no profile.

    Values are as they stand there: variables are not computed.
    """
    active = _profile(facts)
    if active.state is State.UNREADABLE:
        return unreadable(active.why)
    if not active.value:
        return absent()
    closed = [readings.unread[pattern] for pattern in _PATTERNS if pattern in readings.unread]
    if closed:
        return unreadable(closed[0])
    claims: dict[tuple[str, str], Claim] = {}
    try:
        for path, text in _files(active.value, readings):
            _add(claims, path, text)
    except ValueError as error:
        return unreadable(str(error))
    return present(tuple(claims.values()))


def _profile(facts: NodeFacts) -> Observed[str]:
    """Return the names of TuneD's active profile; ABSENT where it does not run, or has none."""
    services = facts.get(IrqServicesFacts)
    daemon = services.service("tuned") if services is not None else None
    if services is None or daemon is None or daemon.active not in _ACTIVE:
        return absent()
    return services.tuned_profile


def _files(names: str, readings: Readings) -> list[tuple[str, str]]:
    """Return path and text of a profile's files, each once, those that it includes before it. Raises ValueError."""
    found: dict[str, str] = {}
    _collect(names.split(), readings, found, set())
    return list(found.items())


def _collect(names: list[str], readings: Readings, found: dict[str, str], begun: set[str]) -> None:
    for name in names:
        path, text = _look_up(name.removeprefix("-"), readings, begun)
        if path is None:
            if name.startswith("-") or text is not None:  # said to be optional, or already taken
                continue
            message = f"there is no profile {name!r}"
            raise ValueError(message)
        begun.add(path)
        if len(begun) > _MOST_PROFILES:
            message = f"more than {_MOST_PROFILES} profiles include each other"
            raise ValueError(message)
        include = _parsed(path, text or "").get("main", {}).get("include", "")
        if "${" in include:
            message = f"{path} includes {include}, which only TuneD can compute"
            raise ValueError(message)
        _collect([one for one in re.split(r"\s*[,;]\s*", include) if one], readings, found, begun)
        found[path] = text or ""


def _look_up(name: str, readings: Readings, begun: set[str]) -> tuple[str | None, str | None]:
    """Return path and text of a profile; (None, "") when all its files were taken, (None, None) when it has none.

    A profile of the administrator may include the packaged one of the same name. Raises ValueError.
    """
    taken = None
    for folder in _FOLDERS:
        path = f"{folder}/{name}/tuned.conf"
        text = readings.matching(f"{folder}/*/tuned.conf").get(path, absent())
        if text.state is State.ABSENT:
            continue
        if path in begun:
            taken = ""
            continue
        if text.value is None:
            message = f"{path}: {text.why}"
            raise ValueError(message)
        return path, text.value
    return None, taken


def _parsed(path: str, text: str) -> Mapping[str, Mapping[str, str]]:
    """Return the options by section, as TuneD's loader reads them. Raises ValueError."""
    parser = configparser.ConfigParser(
        delimiters=("=",), inline_comment_prefixes=("#",), strict=False, interpolation=None, default_section="\0"
    )
    parser.optionxform = str  # type: ignore[method-assign, assignment]  # names of options keep their letters
    try:
        parser.read_string(text)
    except configparser.Error as error:
        message = f"{path}: {str(error).splitlines()[0]}"
        raise ValueError(message) from None
    return {section: dict(parser.items(section)) for section in parser.sections()}


def _add(claims: dict[tuple[str, str], Claim], path: str, text: str) -> None:
    for section, options in _parsed(path, text).items():
        plugin = options.get("type", section)
        if section in {"main", "variables"} or options.get("enabled", "1").strip().lower() in _OFF:
            continue
        for option, value in options.items():
            if option not in {"type", "enabled", "replace", "priority", "drop", "devices"}:
                claims[section, option] = Claim(plugin=plugin, option=option, value=value, path=path)

"""Addresses and MTU that files promise: what of the network survives a restart of the machine.

Source: the netplan reference (``ethernets``, ``match``, ``addresses``, ``mtu``), NetworkManager's keyfile format
(``nm-settings-keyfile``). Files below /run do not survive; NetworkManager's copies of netplan files lie there too and
are named ``netplan-*``: they are made anew at each start and are left out here.
"""

__all__ = ["SOURCE", "NetplanFacts", "Profile"]

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from sparktune.formats.compose_yaml import refuse_bomb
from sparktune.host.facts._shared import bounded_int, shorten
from sparktune.model.node import FactSource
from sparktune.model.observed import Observed, absent, present
from sparktune.model.reads import ReadFiles, Readings

_NETPLAN = ("/etc/netplan/*.yaml", "/run/netplan/*.yaml", "/usr/lib/netplan/*.yaml")
_KEYFILES = (
    "/etc/NetworkManager/system-connections/*",
    "/run/NetworkManager/system-connections/*",
    "/usr/lib/NetworkManager/system-connections/*",
)
# Only what is needed: the other lines of these files hold the passwords of wireless networks.
_KEYFILE_LINES = ("[", "interface-name", "address", "method", "mtu")
_GENERATED = "/run/NetworkManager/system-connections/netplan-"
_ADDRESS = re.compile(r"address\d+", re.ASCII)
_KINDS = ("ethernets", "bonds", "bridges", "vlans", "wifis", "nm-devices", "dummy-devices")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What one file says of one network device.

    ``device`` is a name, or a pattern of names; None when the file tells its device in another way (by MAC address,
    by driver). ``survives`` is False for a file that is gone after a restart of the machine. ``complete`` is False
    when only the file's name is known, not all that it says.
    """

    file: str
    device: str | None
    survives: bool
    addresses: tuple[str, ...] = ()
    mtu: Observed[int] = absent()
    dhcp4: bool = False
    complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class NetplanFacts:
    """All profiles, by file; ``problems`` names files that could not be read or understood, and why."""

    profiles: tuple[Profile, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()


def _parse(readings: Readings) -> NetplanFacts:
    profiles: list[Profile] = []
    problems: list[tuple[str, str]] = []
    for patterns, read in ((_NETPLAN, _read_netplan), (_KEYFILES, _read_keyfile)):
        for path, text in _files(readings, patterns):
            found = text.map(_reader(path, read))
            if found.value is None:
                problems.append((path, found.why or "it is gone"))
                profiles.append(_unknown(path))
            else:
                profiles += found.value
    return NetplanFacts(profiles=tuple(sorted(profiles, key=lambda one: one.file)), problems=tuple(problems))


def _files(readings: Readings, patterns: tuple[str, ...]) -> Iterator[tuple[str, Observed[str]]]:
    for pattern in patterns:
        for path, text in sorted(readings.matching(pattern).items()):
            if not path.startswith(_GENERATED):
                yield path, text


def _reader(path: str, read: Callable[[str, str], tuple[Profile, ...]]) -> Callable[[str], tuple[Profile, ...]]:
    return lambda text: read(path, text)


def _survives(path: str) -> bool:
    return not path.startswith("/run/")


def _unknown(path: str) -> Profile:
    return Profile(file=path, device=None, survives=_survives(path), complete=False)


def _read_netplan(path: str, text: str) -> tuple[Profile, ...]:
    try:
        refuse_bomb(text)
        values = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        message = f"no YAML: {shorten(str(error))}"
        raise ValueError(message) from None
    network = _mapping(_mapping(values).get("network"))
    return tuple(
        _netplan_profile(path, str(name), _mapping(settings))
        for kind in _KINDS
        for name, settings in _mapping(network.get(kind)).items()
    )


def _netplan_profile(path: str, name: str, settings: Mapping[Any, Any]) -> Profile:
    match = settings.get("match")
    device: Any = name if match is None else settings.get("set-name", _mapping(match).get("name"))
    addresses = settings.get("addresses")
    return Profile(
        file=path,
        device=device if isinstance(device, str) else None,
        survives=_survives(path),
        # an address with options is a mapping of one key
        addresses=tuple(
            str(next(iter(one), "") if isinstance(one, dict) else one)
            for one in (addresses if isinstance(addresses, list) else ())
        ),
        mtu=_mtu(settings.get("mtu")),
        dhcp4=settings.get("dhcp4") in (True, "yes", "true", "on"),
    )


def _mapping(value: Any) -> Mapping[Any, Any]:  # noqa: ANN401 - a YAML file is whatever its author wrote
    return value if isinstance(value, dict) else {}


def _mtu(value: Any) -> Observed[int]:  # noqa: ANN401 - a YAML file is whatever its author wrote
    return absent() if value is None else present(value).map(lambda number: bounded_int(str(number)))


def _read_keyfile(path: str, text: str) -> tuple[Profile, ...]:
    device: str | None = None
    addresses: list[str] = []
    mtu: Observed[int] = absent()
    dhcp4 = False
    for section, key, value in _settings(text):
        if section == "connection" and key == "interface-name":
            device = value
        elif section in {"ethernet", "802-3-ethernet"} and key == "mtu":
            mtu = _mtu(value)
        elif section == "ipv4" and key == "method":
            dhcp4 = value == "auto"
        elif section in {"ipv4", "ipv6"} and _ADDRESS.fullmatch(key):
            addresses.append(value.split(",")[0].strip())  # address, then gateway
        elif section in {"ipv4", "ipv6"} and key == "addresses":
            addresses += [one.strip() for one in value.split(";") if one.strip()]
    return (
        Profile(
            file=path,
            device=device,
            survives=_survives(path),
            addresses=tuple(addresses),
            mtu=mtu,
            dhcp4=dhcp4,
        ),
    )


def _settings(text: str) -> Iterator[tuple[str, str, str]]:
    section = ""
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("["):
            section = stripped.strip("[]")
        elif "=" in stripped and not stripped.startswith(("#", ";")):
            key, _, value = stripped.partition("=")
            yield section, key.strip(), value.strip()


SOURCE = FactSource(
    name="netplan",
    kind=NetplanFacts,
    reads=(
        *(ReadFiles(pattern=pattern) for pattern in _NETPLAN),
        *(ReadFiles(pattern=pattern, lines=_KEYFILE_LINES) for pattern in _KEYFILES),
    ),
    parse=_parse,
)

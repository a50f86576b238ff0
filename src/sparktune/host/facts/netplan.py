"""Addresses and MTU that files promise: what of the network survives a restart of the machine.

Source: the netplan reference (``ethernets``, ``addresses``, ``mtu``), NetworkManager's keyfile format
(``nm-settings-keyfile``). Files below /run do not survive; NetworkManager's copies of netplan files lie there too and
are named ``netplan-*``.
"""

__all__ = ["NetplanFacts", "Profile"]

from dataclasses import dataclass

from sparktune.model.observed import Observed, absent


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What one file says of one network device.

    ``device`` is a name, or a pattern of names; None when the file tells its device in another way (by MAC address,
    by driver). ``survives`` is False for a file that is gone after a restart of the machine. ``complete`` is False
    when only the file's name is known, not what it says.
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

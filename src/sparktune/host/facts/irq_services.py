"""Services that move interrupts, change settings, end processes or upgrade packages behind a benchmark's back.

Sources: irqbalance(1), tuned-adm(8), power-profiles-daemon's state file, earlyoom(1), apt.conf(5) APT::Periodic; unit
states by ``systemctl show``. earlyoom's arguments are those of its unit and of /etc/default/earlyoom.
"""

__all__ = ["SOURCE", "IrqServicesFacts", "ServiceState"]

import re
from dataclasses import dataclass

from sparktune.host.facts._shared import assignments, first_line, output, shorten, unit_blocks, word
from sparktune.model.node import FactSource
from sparktune.model.observed import Observed, absent, present
from sparktune.model.reads import ReadCommand, ReadFile, Readings

_UNITS = (
    "irqbalance.service",
    "tuned.service",
    "tuned-ppd.service",
    "power-profiles-daemon.service",
    "earlyoom.service",
    "systemd-oomd.service",
    "unattended-upgrades.service",
    "apt-daily-upgrade.timer",
)
_SHOW = ("systemctl", "show", "-p", "Id,LoadState,ActiveState,UnitFileState,ExecStart", *_UNITS)
_IRQBALANCE = "/etc/default/irqbalance"
_EARLYOOM = "/etc/default/earlyoom"
_TUNED = "/etc/tuned/active_profile"
_POWER = "/var/lib/power-profiles-daemon/state.ini"
_UPGRADES = "/etc/apt/apt.conf.d/20auto-upgrades"
_ARGV = re.compile(r"argv\[\]=(.*?) ; ")
_PERIODIC = re.compile(r'APT::Periodic::Unattended-Upgrade\s+"(\d{1,6}|always)"', re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceState:
    """``active`` and ``enabled`` in systemd's words (active, inactive, failed; enabled, disabled, static).

    ``command`` is the command line of its unit, ABSENT for timers.
    """

    unit: str
    active: str
    enabled: str
    command: Observed[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class IrqServicesFacts:
    """``services`` that are installed; PRESENT and empty when none is.

    ``irqbalance_banned`` is IRQBALANCE_BANNED_CPULIST, ``earlyoom_arguments`` EARLYOOM_ARGS; ABSENT when not set.
    ``unattended_upgrades`` is whether apt upgrades by itself.
    """

    services: Observed[tuple[ServiceState, ...]]
    irqbalance_banned: Observed[str]
    earlyoom_arguments: Observed[str]
    tuned_profile: Observed[str]
    power_profile: Observed[str]
    unattended_upgrades: Observed[bool]

    def service(self, name: str) -> ServiceState | None:
        """Return an installed service by its name without ``.service``, or None."""
        return next((state for state in self.services.value or () if state.unit == f"{name}.service"), None)


def _parse(readings: Readings) -> IrqServicesFacts:
    return IrqServicesFacts(
        services=output(readings.command(*_SHOW)).map(_services),
        irqbalance_banned=_variable(readings.file(_IRQBALANCE), "IRQBALANCE_BANNED_CPULIST"),
        earlyoom_arguments=_variable(readings.file(_EARLYOOM), "EARLYOOM_ARGS"),
        tuned_profile=readings.file(_TUNED).map(word),
        power_profile=_power_profile(readings.file(_POWER)),
        unattended_upgrades=readings.file(_UPGRADES).map(_upgrades),
    )


def _services(text: str) -> tuple[ServiceState, ...]:
    units = unit_blocks(text)
    if not units:
        message = f"no unit in it: {shorten(text)!r}"
        raise ValueError(message)
    found = ((unit, units[unit]) for unit in _UNITS if unit in units)
    return tuple(
        ServiceState(
            unit=unit,
            active=shorten(properties.get("ActiveState", "unknown")),
            enabled=shorten(properties.get("UnitFileState", "")) or "unknown",
            command=_command(properties.get("ExecStart", "")),
        )
        for unit, properties in found
        if properties.get("LoadState") not in {None, "not-found"}
    )


def _command(text: str) -> Observed[str]:
    match = _ARGV.search(text)
    return absent() if match is None else present(shorten(match[1], 500))


def _variable(text: Observed[str], name: str) -> Observed[str]:
    if text.value is None:
        return text
    values = [value for _, key, value in assignments(text.value) if key == name]
    return present(shorten(values[-1], 500)) if values else absent()


def _power_profile(text: Observed[str]) -> Observed[str]:
    profile = first_line(text.value or "", "Profile=")
    return text if text.value is None else present(shorten(profile)) if profile else absent()


def _upgrades(text: str) -> bool:
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(("//", "#"))]
    values = _PERIODIC.findall("\n".join(lines))
    return bool(values) and values[-1] != "0"


SOURCE = FactSource(
    name="irq_services",
    kind=IrqServicesFacts,
    reads=(
        ReadCommand(argv=_SHOW),
        *(ReadFile(path=path) for path in (_IRQBALANCE, _EARLYOOM, _TUNED, _POWER, _UPGRADES)),
    ),
    parse=_parse,
)

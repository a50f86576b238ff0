"""The top-level units whose cores are set, the drop-ins that set them at boot, and what else is read with these.

Sources: systemd.special(7); systemd.unit(5), order of drop-ins; systemd's core/scope.c and core/slice.c: init.scope
and a slice need no file of their own to take drop-ins.
"""

__all__ = ["DROP_INS", "FAST", "SLOW", "UNITS", "at_boot", "cpus_of_unit", "drop_in_path", "drop_in_text", "read_later"]

from sparktune.host.cpulist import CpuSet, format_cpulist
from sparktune.host.placement import Cores
from sparktune.host.unit_cpus import UnitLine, boot_cpus
from sparktune.model.observed import Observed

FAST = "inference.slice"
SLOW = ("init.scope", "system.slice", "user.slice")
# What protects comes before what restricts
UNITS = (FAST, *SLOW)
# Drop-ins are read in the order of their names: after 50-AllowedCPUs.conf, which systemctl set-property writes, and
# after those that people number
_NAME = "zz-sparktune.conf"


def cpus_of_unit(unit: str, cores: Cores) -> CpuSet:
    """Return the cores that a unit is to have."""
    return cores.performance if unit == FAST else cores.efficiency


def drop_in_path(unit: str) -> str:
    """Return where the drop-in of a unit is written."""
    return f"/etc/systemd/system/{unit}.d/{_NAME}"


DROP_INS = tuple(drop_in_path(unit) for unit in UNITS)


def drop_in_text(unit: str, cores: Cores) -> str:
    """Return the drop-in of a unit; the empty line clears what files before it have set."""
    section = "Scope" if unit.endswith(".scope") else "Slice"
    cpus = format_cpulist(cpus_of_unit(unit, cores)).replace(",", " ")
    return f"# Written by sparktune host apply\n[{section}]\nAllowedCPUs=\nAllowedCPUs={cpus}\n"


def read_later(lines: tuple[UnitLine, ...], unit: str) -> tuple[UnitLine, ...]:
    """Return the lines of drop-ins that systemd reads after ours."""
    return tuple(one for one in lines if f"/{unit}.d/" in one.path and one.name > _NAME)


def at_boot(lines: tuple[UnitLine, ...], unit: str, cores: Cores) -> Observed[CpuSet]:
    """Return the cores that a unit would have at boot with our drop-in."""
    ours = UnitLine(path=drop_in_path(unit), value=format_cpulist(cpus_of_unit(unit, cores)))
    return boot_cpus((ours, *read_later(lines, unit)))

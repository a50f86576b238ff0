"""The unit, the timer and the udev rule by which a node does again what a boot or a device that comes back undoes.

Sources: systemd.service(5), systemd.timer(5), systemd.unit(5), udev(7), systemd.device(5): ``SYSTEMD_WANTS=`` is acted
on when a device becomes active. It is active while the event that was handled last gave it the tag ``systemd``
(src/core/device.c, device_is_ready, since 247). The rule gives it at ``bind`` alone: interrupts exist only when a
driver has the device, and a driver that is loaded again makes the device active again. Some drivers make interrupts
later still, when an interface comes up or the GPU is opened first: hence a second pass.
"""

__all__ = ["AGENT", "RULE", "SERVICE", "TIMER", "UnitFile", "unit_files", "unit_links"]

from dataclasses import dataclass

AGENT = "/var/lib/sparktune/agent.pyz"
_FOLDER = "/etc/systemd/system"
SERVICE = f"{_FOLDER}/sparktune-reapply.service"
TIMER = f"{_FOLDER}/sparktune-reapply@.timer"
RULE = "/etc/udev/rules.d/90-sparktune.rules"

_SERVICE = f"""\
# Written by sparktune; taken away by: sudo python3 {AGENT} revert
#
# Masks of interrupts and of kernel workers are lost at every boot, those of a device whenever it or its driver comes
# back. This sets again what the journal in /var/lib/sparktune says, vector by vector, and undoes what a crash or a
# missing confirmation has left half done. When it cannot, it fails and says so: journalctl -u sparktune-reapply
[Unit]
Description=Set interrupt and worker CPUs again (sparktune)
Documentation=man:udev(7)
# Modules are loaded, and the GPU is opened, before; containers that start by themselves come after. These are orders,
# not requirements: where a unit is missing, or this one fails, the others start all the same.
After=systemd-modules-load.service systemd-udev-trigger.service nvidia-persistenced.service irqbalance.service
Before=docker.service containerd.service podman-restart.service

[Service]
Type=oneshot
# It stays inactive afterwards, so that the timers can start it again.
RemainAfterExit=no
ExecStart=/usr/bin/python3 -I {AGENT} reapply
# Without this a oneshot may hang for ever, and what is ordered after it with it.
TimeoutStartSec=120

[Install]
WantedBy=multi-user.target
"""

_TIMER = f"""\
# Written by sparktune; taken away by: sudo python3 {AGENT} revert
#
# Started for each device when a driver binds to it ({RULE}), and once at boot. The first pass lets several devices come
# back together; the second is for interrupts that a driver makes only when an interface comes up.
[Unit]
Description=Set interrupt CPUs again after %I came (sparktune)

[Timer]
Unit=sparktune-reapply.service
OnActiveSec=5
OnActiveSec=60
AccuracySec=1
# It ends after the last pass, so that the next bind starts it anew.
RemainAfterElapse=no

[Install]
WantedBy=timers.target
"""

_RULE = f"""\
# Written by sparktune; taken away by: sudo python3 {AGENT} revert
#
# A device's interrupts have new numbers and the default CPUs each time a driver binds to it: then the timer sets them
# again. At "add" there are none yet; RUN is not for what may take seconds, see udev(7).
"""
_MATCH = (
    'ACTION=="bind", SUBSYSTEM=="pci", {device}, TAG+="systemd", ENV{{SYSTEMD_WANTS}}+="sparktune-reapply@.timer"\n'
)
# NVIDIA and Mellanox, but no bridges
_VENDORS = 'ATTR{vendor}=="0x10de|0x15b3", ATTR{class}!="0x06*"'


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitFile:
    """A file that this needs; ``role`` says what it is for."""

    path: str
    text: str
    role: str


def unit_files(devices: tuple[str, ...], *, interrupts: bool) -> tuple[UnitFile, ...]:
    """Return the files; without ``interrupts`` only that for the boot. ``devices`` are addresses that were listed."""
    service = UnitFile(path=SERVICE, text=_SERVICE, role="sets masks again at every boot")
    if not interrupts:
        return (service,)
    rule = _RULE + _MATCH.format(device=_VENDORS)
    rule += "".join(_MATCH.format(device=f'KERNEL=="{address}"') for address in devices)
    return (
        service,
        UnitFile(path=TIMER, text=_TIMER, role="sets them again 5 s and 60 s after a device came"),
        UnitFile(path=RULE, text=rule, role="starts that timer when a driver binds to a device"),
    )


def unit_links(*, interrupts: bool) -> tuple[tuple[str, str], ...]:
    """Return path and target of the links that enable them, as ``systemctl enable`` makes them."""
    service = (f"{_FOLDER}/multi-user.target.wants/sparktune-reapply.service", SERVICE)
    timer = (f"{_FOLDER}/timers.target.wants/sparktune-reapply@boot.timer", TIMER)
    return (service, timer) if interrupts else (service,)

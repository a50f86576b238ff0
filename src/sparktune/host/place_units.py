"""The unit and the timer by which a node gives threads that come back the CPUs that a placement rule says.

Sources: systemd.service(5), systemd.timer(5), systemd.unit(5). ``OnUnitActiveSec=`` counts from when the unit was
started last, also for a oneshot that is inactive again (src/core/timer.c, inactive_exit_timestamp); ``LogLevelMax=``
filters what the manager says of the unit, too (src/core/unit.h, unit_log_level_test).
Nothing of ours stays running in between: a look is one start of Python, and ends at once where no rule is applied.
"""

__all__ = ["EVERY_S", "SERVICE", "TIMER", "TIMER_UNIT", "place_files", "place_links"]

from typing import Final

from sparktune.host.reapply_units import AGENT, UnitFile
from sparktune.units import Seconds

_FOLDER: Final = "/etc/systemd/system"
TIMER_UNIT: Final = "sparktune-place.timer"
SERVICE: Final = f"{_FOLDER}/sparktune-place.service"
TIMER: Final = f"{_FOLDER}/{TIMER_UNIT}"
EVERY_S: Final[Seconds] = 10.0

_SERVICE = f"""\
# Written by sparktune; taken away by: sudo python3 {AGENT} revert
#
# A thread that was given CPUs keeps them until it ends; the one that comes after it has none of this. This looks for
# threads that fit the placement rules in /var/lib/sparktune and have come since, and gives them their CPUs. When it
# cannot, it fails and says so: journalctl -u sparktune-place
[Unit]
Description=Give threads that came back their CPUs (sparktune)
Documentation=man:sched_setaffinity(2)

[Service]
Type=oneshot
# It stays inactive afterwards, so that the timer can start it again.
RemainAfterExit=no
ExecStart=/usr/bin/python3 -I {AGENT} follow
# What it does for others comes after their own work.
Nice=10
# Without this a oneshot may hang for ever, and no later look would be taken.
TimeoutStartSec=60
# A line in the log for each start and end of a unit that runs every {EVERY_S:g} s hides everything else.
LogLevelMax=notice
SyslogLevel=notice
"""

_TIMER = f"""\
# Written by sparktune; taken away by: sudo python3 {AGENT} revert
#
# Nobody tells when a service's threads come back, so it is looked for them: {EVERY_S:g} s after the last look.
[Unit]
Description=Look for threads that came back (sparktune)

[Timer]
OnBootSec=20
OnUnitActiveSec={EVERY_S:g}
AccuracySec=1

[Install]
WantedBy=timers.target
"""


def place_files() -> tuple[UnitFile, ...]:
    """Return the files."""
    return (
        UnitFile(path=SERVICE, text=_SERVICE, role="gives threads that came back their CPUs"),
        UnitFile(path=TIMER, text=_TIMER, role=f"looks for them every {EVERY_S:g} s"),
    )


def place_links() -> tuple[tuple[str, str], ...]:
    """Return path and target of the link that enables the timer, as ``systemctl enable`` makes it."""
    return ((f"{_FOLDER}/timers.target.wants/{TIMER_UNIT}", TIMER),)

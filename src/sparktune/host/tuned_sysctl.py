"""Who has the last word on kernel settings where TuneD runs: its active profile, or the files of the system.

Source: tuned-main.conf(5), ``reapply_sysctl``: with it, the default, TuneD applies the files of sysctl.d, and
/etc/sysctl.conf last, after its own settings.
"""

__all__ = ["tuned_main_reads", "tuned_overrules", "tuned_sysctl"]

import re
from dataclasses import replace

from sparktune.host.conflicts import Claim, tuned_claims, tuned_reads
from sparktune.model.host_plan import HostView
from sparktune.model.node import NodeFacts
from sparktune.model.observed import Observed, absent, present
from sparktune.model.reads import Read, ReadFile, Readings

_MAIN = "/etc/tuned/tuned-main.conf"
_REAPPLY = re.compile(r"^[ \t]*reapply_sysctl[ \t]*=[ \t]*(\S+)", re.MULTILINE)
_OFF = frozenset({"0", "false", "no", "n", "off"})


def tuned_main_reads(facts: NodeFacts) -> tuple[Read, ...]:
    """Return what has to be read where TuneD runs."""
    profiles = tuned_reads(facts)
    return (*profiles, ReadFile(path=_MAIN)) if profiles else ()


def tuned_sysctl(view: HostView, key: str) -> Observed[Claim]:
    """Return what TuneD's active profile sets a key to; ABSENT when it leaves the key, or does not run."""
    claims = tuned_claims(view.facts, view.readings)
    if claims.value is None:
        return Observed(claims.state, None, claims.why)
    found = [one for one in claims.value if one.plugin == "sysctl" and one.option.replace("/", ".") == key]
    return present(replace(found[-1], option=key)) if found else absent()


def tuned_overrules(readings: Readings) -> bool:
    """Whether TuneD leaves its own values in force rather than those of the system's files."""
    found = _REAPPLY.findall(readings.file(_MAIN).value or "")
    return bool(found) and found[-1].lower() in _OFF

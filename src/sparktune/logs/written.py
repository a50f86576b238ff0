"""Stamps as they are written, and what each says. Sources: as in ``stamps``."""

__all__ = ["GLOG_DAY", "ISO", "SYSLOG_DAY", "VLLM_DAY", "stamp_in"]

import re
from functools import lru_cache
from typing import Final

from sparktune.logs.stamps import Stamp
from sparktune.units import Seconds

_CLOCK: Final = r"\d\d:\d\d:\d\d"
ISO: Final = rf"\d{{4}}-\d\d-\d\d[T ]{_CLOCK}(?:[.,]\d{{1,9}})?(?:Z|[+-]\d\d:?\d\d)?"
VLLM_DAY: Final = rf"\d\d-\d\d {_CLOCK}(?:[.,]\d{{1,9}})?"
GLOG_DAY: Final = rf"\d{{4}} {_CLOCK}(?:\.\d{{1,9}})?"
SYSLOG_DAY: Final = rf"[A-Z][a-z]{{2}} +\d{{1,2}} {_CLOCK}(?:\.\d{{1,9}})?"
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_STAMP: Final = re.compile(
    r"(?:(?P<iso>(?P<year>\d{4})-(?P<iso_month>\d\d)-(?P<iso_day>\d\d)[T ])|(?P<month>\d\d)-?(?P<day>\d\d) "
    r"|(?P<name>[A-Z][a-z]{2}) +(?P<name_day>\d{1,2}) )"
    r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:[.,](?P<part>\d{1,9}))?(?P<zone>Z|[+-]\d\d:?\d\d)?",
    re.ASCII,
)


@lru_cache(maxsize=4096)  # many lines have the same
def stamp_in(text: str) -> Stamp | None:
    """Return what a stamp says that one of these patterns found, None where it is none."""
    found = _STAMP.match(text)
    if found is None or (found["name"] and found["name"] not in _MONTHS):
        return None
    month = _MONTHS.index(found["name"]) + 1 if found["name"] else int(found["iso_month"] or found["month"])
    return Stamp(
        year=int(found["year"]) if found["year"] else None,
        month=month,
        day=int(found["iso_day"] or found["day"] or found["name_day"]),
        hour=int(found["hour"]),
        minute=int(found["minute"]),
        second=float(f"{found['second']}.{found['part'] or 0}"),
        zone_s=_zone_s(found["zone"]),
        local=found["zone"] is None and found["name"] is None,
    )


def _zone_s(zone: str | None) -> Seconds | None:
    if zone is None or zone == "Z":
        return None if zone is None else 0.0
    seconds = int(zone[1:3]) * 3600.0 + int(zone[-2:]) * 60.0
    return -seconds if zone[0] == "-" else seconds

"""When a line was written, as far as what stands on it tells.

Engines write no year (vLLM: ``11-14 14:26:16``) or no zone (SGLang, Python's logging), syslog neither; llama.cpp writes
the time since its start, which is no time of day. A year that is missing is the one that puts the stamp closest to a
reference, such as when the file was last written; without one there is no time. A zone that is missing is taken as UTC,
as containers have it, unless other lines of the log carry both stamps, which tells how far apart they are.

Sources: vLLM 0.8 to 0.33 (``%m-%d %H:%M:%S``), SGLang 0.5.23, llama.cpp b11434 (common/log.cpp), journalctl(1), glog as
PyTorch 2.x prints it (``[E1114 14:26:16.123456789 ...``), ``docker logs --timestamps`` (RFC 3339).
"""

__all__ = ["Stamp", "offset_between", "resolve"]

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from sparktune.units import Seconds

_QUARTER_S = 900.0
_FARTHEST_ZONE_S = 15 * 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What is written: ``year`` None where it is not; ``zone_s`` seconds east of UTC, None where it is not.

    ``local`` is whether the engine itself wrote it, by the clock and zone of its process.
    """

    month: int
    day: int
    hour: int
    minute: int
    second: Seconds
    year: int | None = None
    zone_s: Seconds | None = None
    local: bool = False


def resolve(stamp: Stamp, reference_s: Seconds | None, offset_s: Seconds = 0.0) -> Seconds | None:
    """Return seconds since 1970; ``offset_s`` is how far east of UTC a stamp without zone is.

    None for a date that does not exist, and for one without year where there is no reference.
    """
    zone_s = offset_s if stamp.zone_s is None else stamp.zone_s
    if stamp.year is not None:
        return _at(stamp, stamp.year, zone_s)
    if reference_s is None:
        return None
    try:
        near = datetime.fromtimestamp(reference_s, UTC).year
    except (ValueError, OverflowError, OSError):
        return None
    times = [time_s for year in range(near - 4, near + 5) if (time_s := _at(stamp, year, zone_s)) is not None]
    return min(times, key=lambda time_s: abs(time_s - reference_s), default=None)


def offset_between(known_s: Seconds, stamp: Stamp) -> Seconds | None:
    """Return how far east of UTC a stamp without zone is, if the same line has a time that is known; else None.

    Zones differ by quarters of an hour, and a line is stamped twice within seconds: else the two are of other moments.
    """
    time_s = resolve(stamp, known_s)
    if time_s is None or stamp.zone_s is not None:
        return None
    ahead_s = time_s - known_s
    offset_s = round(ahead_s / _QUARTER_S) * _QUARTER_S
    if abs(ahead_s - offset_s) > _QUARTER_S / 4 or abs(offset_s) > _FARTHEST_ZONE_S:
        return None
    return offset_s


def _at(stamp: Stamp, year: int, zone_s: Seconds) -> Seconds | None:
    whole = int(stamp.second)
    try:
        zone = timezone(timedelta(seconds=zone_s))
        moment = datetime(year, stamp.month, stamp.day, stamp.hour, stamp.minute, whole, tzinfo=zone)
    except ValueError:
        return None  # the 29th of February is not in every year
    return moment.timestamp() + (stamp.second - whole)

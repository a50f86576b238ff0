"""Room for the connections of a wave: how many files the system lets this process open.

Source: getrlimit(2), RLIMIT_NOFILE: a process may raise its soft limit up to its hard one.
"""

__all__ = ["reserve_descriptors"]

import resource

from sparktune.errors import UsageError

_BESIDE_STREAMS = 128  # the store, the connections that count and scrape, what Python itself holds open


def reserve_descriptors(streams: int) -> None:
    """Make room for that many connections at once, before any is opened. Raises UsageError when there is none."""
    needed = streams + _BESIDE_STREAMS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    if hard != resource.RLIM_INFINITY and hard < needed:
        message = f"{streams} streams at once need {needed} open files, this process may have {hard}"
        raise UsageError(message, hint=f"raise the limit, for instance: ulimit -Hn {needed}; or ask for fewer streams")
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))

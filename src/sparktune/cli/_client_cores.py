"""Find the cores that the load client measures on, and say so where they are not all that it may use."""

__all__ = ["client_cores", "local_client_cores"]

from collections.abc import Callable

from sparktune.host.client_cores import choose_client_cores
from sparktune.host.cpulist import CpuSet
from sparktune.io.http.address import parse_address
from sparktune.io.this_machine import allowed_cpus, core_split, is_this_machine


def client_cores(asked: str, base_url: str, say: Callable[[str], None]) -> CpuSet:
    """Return the cores for ``--client-cores`` ("" where it was not given); none: all. Raises UsageError."""
    return _cores(asked, say, lambda: is_this_machine(parse_address(base_url).target.host))


def local_client_cores(asked: str, say: Callable[[str], None]) -> CpuSet:
    """Return them where the server is one of our own, on this machine."""
    return _cores(asked, say, lambda: True)


def _cores(asked: str, say: Callable[[str], None], is_local: Callable[[], bool]) -> CpuSet:
    if asked == "keep":
        return frozenset()
    split = core_split()
    # A name is looked up only where the answer matters.
    local = split.value is not None and is_local()
    choice = choose_client_cores(asked, split=split, allowed=allowed_cpus(), is_local=local)
    if choice.why:
        say(choice.why)
    return choice.cpus

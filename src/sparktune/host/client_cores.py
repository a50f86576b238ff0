"""Which cores the load client measures on, where the server is on the same machine.

A client on a fast core takes it from the server whose speed it measures, so that on a machine with two types of cores
it goes to the slower ones. What it costs the client is seen in each wave's health, which can void it (check V14).
"""

__all__ = ["ClientCores", "choose_client_cores"]

from dataclasses import dataclass

from sparktune.errors import UsageError
from sparktune.host.core_types import CoreSplit
from sparktune.host.cpulist import CpuSet, format_cpulist, parse_cpulist
from sparktune.model.observed import Observed

_FLAG = "--client-cores"
_HINT = f"{_FLAG} takes keep, efficiency or a list such as 0-4,10-14"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCores:
    """``cpus`` that the measuring thread is kept on during a wave, none: it is left as it is; ``why`` is for people."""

    cpus: CpuSet = frozenset()
    why: str = ""


_LEFT = ClientCores()


def choose_client_cores(asked: str, *, split: Observed[CoreSplit], allowed: CpuSet, is_local: bool) -> ClientCores:
    """Return the cores for what was asked ("" is the default), of those that this process may use.

    By default they are the efficiency cores where the server is on this machine and it has two types of cores; nothing
    changes anywhere else. Raises UsageError for what cannot be done as it was asked.
    """
    if asked == "keep":
        return _LEFT
    if asked in {"", "efficiency"}:
        return _efficiency(asked, split, allowed, is_local=is_local)
    cpus = _listed(asked)
    if not cpus <= allowed:
        message = f"{_FLAG} {asked}: CPUs {format_cpulist(cpus - allowed)} are not among those that it may use"
        raise UsageError(message, hint=f"this process may use {format_cpulist(allowed)}")
    return ClientCores(cpus=cpus, why=f"the client measures on CPUs {format_cpulist(cpus)}, as asked")


def _efficiency(asked: str, split: Observed[CoreSplit], allowed: CpuSet, *, is_local: bool) -> ClientCores:
    if not asked and not is_local:
        return _LEFT
    if split.value is None:
        if asked:
            message = f"{_FLAG} efficiency: which cores are slower is not known ({split.why or 'no CPU says'})"
            raise UsageError(message, hint=_HINT)
        return _LEFT
    cpus = split.value.efficiency & allowed
    if not cpus:
        if asked:
            message = (
                f"{_FLAG} efficiency: this process may use CPUs {format_cpulist(allowed)} alone, which are fast ones"
            )
            raise UsageError(message, hint=_HINT)
        why = f"the client measures on fast cores beside the server: it may use CPUs {format_cpulist(allowed)} alone"
        return ClientCores(why=why)
    if allowed <= split.value.efficiency:
        return _LEFT
    beside = "out of the way of the server on this machine" if is_local else "as asked"
    hint = "" if asked else f" ({_FLAG} keep leaves it where it is)"
    return ClientCores(cpus=cpus, why=f"the client measures on efficiency cores {format_cpulist(cpus)}, {beside}{hint}")


def _listed(text: str) -> CpuSet:
    try:
        cpus = parse_cpulist(text)
    except ValueError:
        cpus = frozenset()
    if not cpus:
        message = f"{_FLAG} {text[:80]!r} is no list of CPUs"
        raise UsageError(message, hint=_HINT)
    return cpus

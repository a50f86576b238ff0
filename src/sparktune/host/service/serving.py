"""Which process of a service is the one that serves. Pure.

The one that listens at the service's port; else the one that its engine's names tell to be the API server; else the
first one that is no shell, no init and nothing that only waits: what others were started by, with the arguments that it
was given. A process that wrote a title over its command line and its environment says nothing of either; the nearest
ancestor that did not is read for it. A client of a container runtime serves nothing, whatever its arguments are.
"""

__all__ = ["Serving", "servers_of", "serving_process"]

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sparktune.engines import role_of
from sparktune.host.service.facts import NodeProcess

_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "busybox"})
_WAITING: Final = frozenset({"sleep", "tail", "tini", "docker-init", "dumb-init", "catatonit", "s6-svscan", "pause"})
_WRAPPERS: Final = frozenset(
    {"env", "nice", "nohup", "numactl", "stdbuf", "taskset", "time", "timeout", "uv", "setpriv"}
)
_CLIENTS: Final = frozenset(
    {"docker", "docker-proxy", "docker-compose", "podman", "nerdctl", "crictl", "kubectl", "ssh", "sparkrun"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """The process that was chosen, or None and ``why``; ``how`` it was chosen, for people."""

    process: NodeProcess | None
    how: str = ""
    why: str = ""


def servers_of(processes: Sequence[NodeProcess]) -> tuple[NodeProcess, ...]:
    """Return the processes of a service that are neither shells nor wrappers nor there to wait."""
    return tuple(one for one in processes if _program(one) not in _SHELLS | _WAITING | _WRAPPERS)


def serving_process(processes: Sequence[NodeProcess], port: int, listening: Mapping[int, Collection[int]]) -> Serving:
    """Choose among the processes of one service; ``listening`` has the ports that each listens at, where known."""
    servers = servers_of(processes)
    clients = [one for one in servers if _program(one) in _CLIENTS]
    servers = tuple(one for one in servers if one not in clients)
    if not servers:
        if clients:
            what = f"only {_program(clients[0])} (pid {clients[0].pid}) runs in it: the server is somewhere else"
            return Serving(process=None, why=what)
        return Serving(process=None, why="nothing that could serve runs in it" if processes else "nothing runs in it")
    for found, how in _choices(servers, port, listening):
        if found:
            first = min(found, key=lambda one: (one.start_ticks, one.pid))
            told = _told(first, processes)
            if told is None:
                return Serving(process=None, why=f"pid {first.pid} ({first.name}) wrote a title over its command line")
            return Serving(process=told, how=how if told is first else f"it started pid {first.pid}, which {how}")
    return Serving(process=None, why="nothing that could serve runs in it")


def _choices(
    servers: Sequence[NodeProcess], port: int, listening: Mapping[int, Collection[int]]
) -> tuple[tuple[list[NodeProcess], str], ...]:
    roles = {one.pid: role_of(one.name, one.argv) for one in servers}
    api = [one for one in servers if (role := roles[one.pid]) is not None and role.role == "api-server"]
    return (
        ([one for one in servers if port in listening.get(one.pid, ())], f"listens at port {port}"),
        (api, "is the engine's API server by its name"),
        (list(servers), "was started first"),
    )


def _told(process: NodeProcess, processes: Sequence[NodeProcess]) -> NodeProcess | None:
    """Return the process, or its nearest ancestor in the service that has its own command line."""
    by_pid = {one.pid: one for one in processes}
    one: NodeProcess | None = process
    while one is not None and _titled(one):
        one = by_pid.get(one.parent)
    return one if one is not None and (one is process or _program(one) not in _SHELLS | _WAITING) else None


def _titled(one: NodeProcess) -> bool:
    return not one.argv or "::" in one.argv[0]


def _program(one: NodeProcess) -> str:
    return one.argv[0].rpartition("/")[2].lstrip("-") if one.argv else one.name

"""Containers of a service on one node, from what ``docker inspect`` printed there. Pure.

Source: Docker Engine API, ContainerInspect (State, HostConfig, NetworkSettings.Ports).
"""

__all__ = ["ServiceContainer", "containers_seen", "ps_command"]

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from sparktune.model.observed import Observed
from sparktune.model.reads import CommandOutput


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceContainer:
    """One container: ``image`` is the digest of its image, ``pid`` its first process, 0 when it does not run.

    ``status`` in Docker's words (running, exited, restarting, dead ...). ``ports`` leads from ports of the node to
    those inside. ``restart`` is its restart policy, ``name`` without the slash.
    """

    id: str
    name: str
    image: str = ""
    status: str = ""
    pid: int = 0
    exit_code: int | None = None
    oom_killed: bool = False
    started_at: str = ""
    finished_at: str = ""
    restart: str = ""
    ports: Mapping[int, int] = field(default_factory=dict)

    @property
    def running(self) -> bool:
        """Whether it has processes."""
        return self.status in {"running", "paused"}


class _State(msgspec.Struct, rename="pascal"):
    status: str = ""
    pid: int = 0
    exit_code: int | None = None
    oom_killed: bool = msgspec.field(default=False, name="OOMKilled")
    started_at: str = ""
    finished_at: str = ""


class _Policy(msgspec.Struct, rename="pascal"):
    name: str = ""


class _Host(msgspec.Struct, rename="pascal"):
    restart_policy: _Policy | None = None


class _Network(msgspec.Struct, rename="pascal"):
    ports: dict[str, list[dict[str, str]] | None] | None = None


class _Inspected(msgspec.Struct, rename="pascal"):
    id: str
    name: str = ""
    image: str = ""
    state: _State = msgspec.field(default_factory=_State)
    host_config: _Host = msgspec.field(default_factory=_Host)
    network_settings: _Network = msgspec.field(default_factory=_Network)


def ps_command(labels: Mapping[str, str], *, stopped: bool) -> tuple[str, ...]:
    """Return the command that lists the ids of the containers with all of these labels."""
    filters = (word for name, value in labels.items() for word in ("--filter", f"label={name}={value}"))
    return ("docker", "ps", "-aq" if stopped else "-q", "--no-trunc", *filters)


def containers_seen(said: Observed[CommandOutput], unknown: list[str]) -> tuple[ServiceContainer, ...]:
    """Return what ``docker inspect`` says of containers; why it says nothing is added to ``unknown``."""
    if said.value is None or (said.value.code and not said.value.stdout.strip().startswith("[")):
        why = said.why or (said.value.stderr.strip() if said.value else "there is no docker")
        unknown.append(f"the containers cannot be seen: {why}")
        return ()
    try:
        found = msgspec.json.decode(said.value.stdout.strip() or "[]", type=list[_Inspected])
    except (msgspec.DecodeError, RecursionError) as error:
        unknown.append(f"docker inspect is not understood: {error}")
        return ()
    return tuple(map(_container, found))


def _container(one: _Inspected) -> ServiceContainer:
    policy = one.host_config.restart_policy
    return ServiceContainer(
        id=one.id,
        name=one.name.removeprefix("/"),
        image=one.image,
        status=one.state.status,
        pid=one.state.pid,
        exit_code=one.state.exit_code if one.state.status not in {"running", "paused", "created"} else None,
        oom_killed=one.state.oom_killed,
        started_at=one.state.started_at,
        finished_at=one.state.finished_at,
        restart=policy.name if policy else "",
        ports=_ports(one.network_settings.ports or {}),
    )


def _ports(given: Mapping[str, list[dict[str, str]] | None]) -> dict[int, int]:
    found: dict[int, int] = {}
    for inside, places in given.items():
        number = inside.partition("/")[0]
        for place in places or ():
            if place.get("HostPort", "").isdecimal() and number.isdecimal():
                found[int(place["HostPort"])] = int(number)
    return found

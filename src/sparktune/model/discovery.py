"""What lies around before anybody configured anything: clusters of other tools, names that ssh knows, local servers."""

__all__ = ["Discovery", "FoundCluster", "FoundServer"]

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCluster:
    """A cluster of sparkrun: ``nodes`` by name and by what ssh calls them, None for this machine."""

    name: str
    nodes: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundServer:
    """An OpenAI-compatible server of this machine; ``models`` are what it serves."""

    endpoint: str
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """``problems`` say what was found and could not be read."""

    clusters: tuple[FoundCluster, ...] = ()
    ssh_names: tuple[str, ...] = ()
    servers: tuple[FoundServer, ...] = ()
    problems: tuple[str, ...] = ()

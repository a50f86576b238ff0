"""Where things stand, as far as one quick look tells: the nodes, the service, what was decided, what has drifted."""

__all__ = [
    "DriftStanding",
    "EarnedStanding",
    "FrontPage",
    "NodeStanding",
    "RestoreStanding",
    "ServiceStanding",
    "VerdictStanding",
]

from dataclasses import dataclass

from sparktune.model.node_report import NodeState
from sparktune.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStanding:
    """A node. ``why`` says why it did not answer, "" when it did; ``last_seen_wall_s`` when it last did, if ever.

    ``state`` is None, and ``why_state`` says why, where its journal could not be read. ``profile``: a host profile
    holds; ``pins`` counts what ``place pin`` did and still holds.
    """

    node: str
    why: str = ""
    last_seen_wall_s: Seconds | None = None
    state: NodeState | None = None
    why_state: str = ""
    profile: bool = False
    pins: int = 0

    @property
    def answered(self) -> bool:
        """Whether it answered now."""
        return not self.why


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceStanding:
    """A service of ``sparktune.yaml``: ``why`` says why it did not answer; ``engine`` is name and version."""

    name: str
    endpoint: str
    why: str = ""
    engine: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictStanding:
    """The newest of a kind in the store. ``kind``: bench, ab, sweep or trial; ``about`` what was measured, and where.

    ``verdict`` is "" while there is none, and ``state`` where it stands. ``holds``: something that it set has not been
    taken back. ``owner`` is the living process that works on it, "" for none.
    """

    kind: str
    id: str
    created_wall_s: Seconds
    state: str
    verdict: str = ""
    about: str = ""
    holds: bool = False
    owner: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftStanding:
    """What drift came to at ``at_wall_s``, None when nobody ever looked; ``differs`` None: that is not known.

    ``why`` says why this is not of now.
    """

    words: str = ""
    differs: bool | None = None
    at_wall_s: Seconds | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreStanding:
    """A ``drift restore`` of ``key`` that did not end: it runs now, or it was killed."""

    service: str
    key: str
    runs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EarnedStanding:
    """How many settings ``earned.yaml`` has, and of how many the evidence is stale; ``why``: it cannot be read."""

    file: str = ""
    count: int = 0
    stale: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPage:
    """All of it, as of ``at_wall_s``. ``service`` and ``drift`` are None where the file names no service.

    ``why_service`` and ``why_store`` say what could not be looked up.
    """

    config: str
    at_wall_s: Seconds
    nodes: tuple[NodeStanding, ...] = ()
    service: ServiceStanding | None = None
    why_service: str = ""
    verdicts: tuple[VerdictStanding, ...] = ()
    why_store: str = ""
    drift: DriftStanding | None = None
    restores: tuple[RestoreStanding, ...] = ()
    earned: EarnedStanding = EarnedStanding()

"""Where an arm is held: the server's address, folders, nodes, and how patient to be."""

__all__ = ["HoldSettings"]

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sparktune.io.cluster import NodeTarget, target_among
from sparktune.io.launching.memory import STILL_S
from sparktune.io.secrets import Secret
from sparktune.units import Bytes, Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldSettings:
    """Where things are. ``log_folder`` gets one log per started program, ``work_folder`` is where they start.

    ``nodes`` by the names that steps use; "" is this machine when it is not named. ``environment`` is the caller's:
    programs inherit it, and ``${NAME}`` in commands and variables means its values. ``who`` is for the nodes' journals.
    """

    base_url: str
    log_folder: Path
    work_folder: Path
    environment: Mapping[str, str]
    api_key: Secret | None = None
    nodes: Mapping[str, NodeTarget] = field(default_factory=dict)
    who: str = "sparktune ab"
    terminate_s: Seconds = 20.0
    kill_s: Seconds = 10.0
    memory_s: Seconds = 60.0
    memory_still_s: Seconds = STILL_S
    memory_slack_bytes: Bytes = 1 << 30

    def target(self, node: str) -> NodeTarget:
        """Return the way to a node. Raises UsageError for one that is not known."""
        return target_among(self.nodes, node, "the experiment changes")

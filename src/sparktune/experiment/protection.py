"""How an experiment protects its hosts: when a guard stops it, what is ended then, and what a lost node means.

Sources: the one limit that a public tuning log stopped at was 3 GiB of available memory. Swapping that came a minute
after an arm had looked fine is why each arm has a quiet minute behind it.
"""

__all__ = ["OnLostNode", "Protection"]

from dataclasses import dataclass, field
from enum import Enum

from sparktune.model.guard import Limits
from sparktune.units import Seconds


class OnLostNode(Enum):
    """What becomes of an experiment when a node of it, or the way there, is lost in the middle of a visit."""

    STOP = "stop"  # everything is brought back; ``ab resume`` goes on
    RETRY = "retry"  # the block is measured again when the node is back


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """``limits`` are those of the guards; ``stop_engine`` ends the server of the arm when one of them is crossed.

    ``tail_s`` is watched after the trials of each visit, with the arm still set and nothing sent. ``retries`` is how
    often a block is begun again because of a lost node, each after a wait of at most ``lost_wait_s`` for its return.
    ``on``: False watches nothing.
    """

    on: bool = True
    limits: Limits = field(default_factory=Limits)
    stop_engine: bool = False
    tail_s: Seconds = 60.0
    on_lost_node: OnLostNode = OnLostNode.STOP
    retries: int = 2
    lost_wait_s: Seconds = 600.0

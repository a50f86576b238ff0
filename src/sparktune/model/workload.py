"""A workload: which cells, how often, and how they are sent."""

__all__ = ["Workload"]

from dataclasses import dataclass, field

from sparktune.model.cell import Cell
from sparktune.model.options import SendOptions, Slo
from sparktune.model.warmup import WarmupPlan
from sparktune.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Cells in the order in which they run, ``trials`` waves each.

    ``seed`` fixes prompts and nonces; a second run with the same seed still sends other nonces, since the run's id is
    part of them. ``corpus`` names where the text came from. ``stall_s`` and ``timeout_s`` end a request.
    """

    cells: tuple[Cell, ...]
    trials: int
    options: SendOptions
    warmup: WarmupPlan = field(default_factory=WarmupPlan)
    slo: Slo = field(default_factory=Slo)
    seed: int = 0
    corpus: str = "python"
    stall_s: Seconds = 120.0
    timeout_s: Seconds = 3600.0

    def __post_init__(self) -> None:
        """Refuse workloads that measure nothing or measure a cell twice."""
        if not self.cells or self.trials < 1:
            message = f"a workload needs cells and trials: {len(self.cells)} cells, {self.trials} trials"
            raise ValueError(message)
        if len(set(self.cells)) != len(self.cells):
            message = "a workload names a cell twice"
            raise ValueError(message)

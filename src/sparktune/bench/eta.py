"""How long a wave, and the rest of a run, will take: a guess from the waves that have ended."""

__all__ = ["WaveCost", "estimate", "remaining"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from sparktune.model.cell import Cell
from sparktune.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class WaveCost:
    """What one wave took: until its last first token, and from there to its end."""

    cell: Cell
    prefill_s: Seconds
    decode_s: Seconds

    @property
    def total_s(self) -> Seconds:
        """The whole wave."""
        return self.prefill_s + self.decode_s


def estimate(cell: Cell, costs: Sequence[WaveCost]) -> Seconds | None:
    """Return the expected duration of a wave of ``cell``; None before any wave has ended.

    The median of that cell's own waves; for a cell not seen yet, the last wave's prefill scaled by the prompt tokens
    of the whole wave and its decode scaled by output tokens (a batch decodes its streams together).
    """
    own = [cost.total_s for cost in costs if cost.cell == cell]
    if own:
        return median(own)
    if not costs:
        return None
    last = costs[-1]
    prompt_ratio = (cell.total_prompt_tokens * cell.concurrency) / (
        last.cell.total_prompt_tokens * last.cell.concurrency
    )
    return last.prefill_s * prompt_ratio + last.decode_s * cell.output_tokens / last.cell.output_tokens


def remaining(waves_left: Mapping[Cell, int], costs: Sequence[WaveCost]) -> Seconds | None:
    """Return the expected time for the waves that are left; None before any wave has ended."""
    if not costs:
        return None
    return sum(waves * (estimate(cell, costs) or 0.0) for cell, waves in waves_left.items())

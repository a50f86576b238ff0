"""How long a wave, and the rest of a run, will take: a guess from the waves that have ended."""

__all__ = ["WaveCost", "estimate", "remaining"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from sparktune.model.cell import Cell
from sparktune.units import Seconds, Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class WaveCost:
    """What one wave took: until its last first token, and from there to its end. ``context``: it loaded contexts."""

    cell: Cell
    prefill_s: Seconds
    decode_s: Seconds
    context: bool = False

    @property
    def total_s(self) -> Seconds:
        """The whole wave."""
        return self.prefill_s + self.decode_s

    @property
    def read_tokens(self) -> Tokens:
        """The prompt tokens that the server had to read for it: a loaded context is not read again."""
        return _read_tokens(self.cell, context=self.context)


def estimate(cell: Cell, costs: Sequence[WaveCost], *, context: bool = False) -> Seconds | None:
    """Return the expected duration of a wave of ``cell``, or of the wave that loads its contexts; None if unknown.

    The median of that cell's own waves of the kind; for one not seen yet, prefill scaled by the tokens that have to be
    read, and decode by output tokens (a batch decodes its streams together, and loading a context decodes nothing).
    """
    alike = [cost for cost in costs if cost.context is context]
    own = [cost.total_s for cost in alike if cost.cell == cell]
    if own:
        return median(own)
    last = next(reversed(alike or list(costs)), None)
    if last is None:
        return None
    prefill_s = last.prefill_s * _read_tokens(cell, context=context) / last.read_tokens
    decodes = not context and not last.context
    return prefill_s + (last.decode_s * cell.output_tokens / last.cell.output_tokens if decodes else 0.0)


def remaining(waves_left: Mapping[Cell, int], costs: Sequence[WaveCost]) -> Seconds | None:
    """Return the expected time for the waves that are left, loading contexts included; None before a wave has ended."""
    if not costs:
        return None
    return sum(waves * _with_context(cell, costs) for cell, waves in waves_left.items())


def _with_context(cell: Cell, costs: Sequence[WaveCost]) -> Seconds:
    loading = estimate(cell, costs, context=True) if cell.depth else 0.0
    return (estimate(cell, costs) or 0.0) + (loading or 0.0)


def _read_tokens(cell: Cell, *, context: bool) -> Tokens:
    # Own prompts have no length here; one that is scaled from theirs is a guess like the others.
    return cell.streams * max(1, cell.depth if context and cell.depth else cell.prompt_tokens)

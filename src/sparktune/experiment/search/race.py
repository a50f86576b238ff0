"""The second stage: what looks best, singly and together, in blocks with the baseline; the worse drop out.

A block holds each of its configurations once, and the baseline, in random order. Who is in the next one is decided anew
from all visits so far. Why these numbers of arms: ``make sim-search``.
"""

__all__ = ["Block", "Contender", "contenders", "most_arms", "next_block"]

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.experiment.effect import holm
from sparktune.experiment.search.draws import draws, shuffled
from sparktune.experiment.search.fit import Cell, Fit, Guess, fit
from sparktune.experiment.search.record import Record, cell_of, key_of
from sparktune.experiment.search.screen import observations
from sparktune.experiment.student import t_below, t_quantile
from sparktune.model.sweep import Candidate

_ARMS = (8, 6, 4)  # of the first, second and any later block, the baseline not counted
_CURIOUS = (0.5, 0.3, 0.0)  # standard errors by which a guess may be too low and still get its visit
_ALPHA = 0.1  # of dropping, over all that are compared with the best
_HOPE = 0.9  # confidence with which a configuration is given up that is not better than the baseline by the margin
_KEPT = 200  # partial combinations that are followed; far more than any block has arms
_PURPOSE = 100


@dataclass(frozen=True, slots=True)
class Contender:
    """A configuration that may win: ``mean`` log ratio to the baseline, ``error`` its standard error."""

    cell: Cell
    mean: float
    error: float
    guess: Guess
    hopeful: bool

    @property
    def candidate(self) -> Candidate:
        """The configuration as a candidate."""
        return Candidate(key=key_of(self.cell), values=dict(self.cell))


@dataclass(frozen=True, slots=True)
class Block:
    """``order`` are the configurations of a block in the order of their visits, () for the baseline.

    An empty one says that the race is over, and ``why``.
    """

    order: tuple[Cell, ...] = ()
    why: str = ""


def most_arms(block: int) -> int:
    """Return how many configurations a block has at most, without the baseline."""
    return _ARMS[min(block, len(_ARMS)) - 1]


def next_block(record: Record, block: int) -> Block:
    """Return the block that follows from what was known before it; deterministic."""
    model, able = contenders(record)
    hopeful = [one for one in able if one.hopeful]
    if not hopeful:
        return Block(why="nothing looks better than the baseline by the margin")
    left = _not_beaten(model, hopeful)
    if block > 1 and len(left) == 1:
        return Block(why="one is clearly ahead")
    room = most_arms(block) if record.affordable is None else min(most_arms(block), record.affordable - 1)
    if room < 1:
        return Block(why="the budget is used up")
    curious = _CURIOUS[min(block, len(_CURIOUS)) - 1]
    arms = sorted(left, key=lambda one: -(one.mean + curious * one.error))[:room]
    order = shuffled([(), *(one.cell for one in arms)], draws(record.plan.seed, _PURPOSE + block))
    return Block(order=_upwards(record, order))


def contenders(record: Record) -> tuple[Fit, list[Contender]]:
    """Return all configurations that may be visited or win, the best first, and the model that says so."""
    model = fit(*observations(record))
    zero = model.guess(())
    least = math.log1p(record.plan.margin)
    reach = t_quantile(_HOPE, model.freedom)
    found = []
    for cell in _cells(record, model):
        guess = model.guess(cell)
        error = model.error(guess, zero)
        found.append(Contender(cell, guess.mean, error, guess, hopeful=guess.mean + reach * error >= least))
    return model, sorted(found, key=lambda one: (-one.mean, one.cell))


def _cells(record: Record, model: Fit) -> list[Cell]:
    """Return what is measured and fit, and - if the plan wants them - its combinations, the best by their sum."""
    fits = [
        cell_of(one)
        for one in record.plan.screened
        if one.key in record.measured and not record.unfit(one.key) and not record.why_not(cell_of(one))
    ]
    if not record.plan.pairs:
        return fits
    knobs: dict[str, list[tuple[str, str]]] = {}
    for cell in fits:
        for entry in cell:
            knobs.setdefault(entry[0], []).append(entry)
    partial: list[Cell] = [()]
    for knob in sorted(knobs):
        grown = [*partial, *((*cell, entry) for cell in partial for entry in knobs[knob])]
        grown.sort(key=lambda cell: (-_sum(model, cell), cell))
        partial = grown[:_KEPT]
    return sorted(
        {*fits, *(cell for cell in partial if cell and not record.why_not(cell) and not record.unfit(key_of(cell)))}
    )


def _sum(model: Fit, cell: Cell) -> float:
    return sum(model.solution[model.columns[entry]] for entry in cell if entry in model.columns)


def _not_beaten(model: Fit, able: Sequence[Contender]) -> list[Contender]:
    """Return the best and those that are not worse than it by the t interval, all of them looked at together."""
    best = able[0]
    chances = {}
    for one in able[1:]:
        error = model.error(one.guess, best.guess)
        chances[key_of(one.cell)] = 2 * (1 - t_below((best.mean - one.mean) / error, model.freedom)) if error else 1.0
    beaten = holm(chances, _ALPHA)
    return [one for one in able if key_of(one.cell) not in beaten]


def _upwards(record: Record, order: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return the order with those that raise memory upwards in their own places."""
    height = {cell: sum(_height(record, entry) for entry in cell) for cell in order}
    places = [place for place, cell in enumerate(order) if height[cell]]
    sorted_cells = sorted((order[place] for place in places), key=lambda cell: height[cell])
    found = list(order)
    for place, cell in zip(places, sorted_cells, strict=True):
        found[place] = cell
    return tuple(found)


def _height(record: Record, entry: tuple[str, str]) -> int:
    raises = any(one.raises_memory for one in record.plan.ranges if one.knob == entry[0])
    return len(record.raised(entry)) + 1 if raises or entry in record.below else 0

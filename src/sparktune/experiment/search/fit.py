"""What all visits together say of each configuration: the sum of its values, and how far it departs from that sum.

Every visit of a configuration says something of all that share a value with it. So the few visits of a search are
read as one: the logarithm of a visit is the baseline, plus one effect per value, plus what is the configuration's own
(an interaction), plus the drift of the machine, plus noise. It is a linear model with normal priors (Lindley and Smith,
1972), solved in closed form. The departure of a configuration is believed as far as its visits carry it: a small one
is mostly noise, one that is far out of what noise does (a cliff) is taken as it is, and bends no effect.
"""

__all__ = ["Cell", "Fit", "Guess", "Observation", "fit"]

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

Cell = tuple[tuple[str, str], ...]
"""A configuration: its values by knob where it differs from the baseline, sorted; () is the baseline."""

_EFFECT = 0.10  # standard deviations of logs that are expected before anything was seen: of a value's effect,
_DEPARTURE = 0.03  # of what a configuration adds to the sum of its values,
_WALK = 0.015  # of the drift from one visit to the next,
_NOISE = 0.04  # and of a visit
_NOISE_WEIGHT = 6  # so many degrees of freedom has what is expected of the noise
_FLAT = 1e-6  # a prior that says nothing
_FIRST_DRIFT = 0.1
_ROUNDS = 3  # departures and noise are estimated in turn with the rest; they settle in two

Row = dict[int, float]


@dataclass(frozen=True, slots=True)
class Observation:
    """A measured visit: ``drift`` are the knots of the drift that it lies between, with their weights (sum 1)."""

    cell: Cell
    log_value: float
    drift: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Guess:
    """``mean`` is the log ratio to the baseline. The rest is what a difference of two guesses needs: see Fit."""

    mean: float
    row: tuple[float, ...]
    own: float


@dataclass(frozen=True, slots=True)
class Fit:
    """A solved model; ``freedom`` are the degrees of freedom of ``noise``, the standard deviation of a visit."""

    columns: Mapping[tuple[str, str], int]
    solution: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    departures: Mapping[Cell, tuple[float, float, tuple[float, ...]]]
    noise: float
    freedom: float

    def guess(self, cell: Cell) -> Guess:
        """Return what is believed of a configuration, whether it was visited or not."""
        row = [0.0] * len(self.solution)
        for entry in cell:
            if entry in self.columns:
                row[self.columns[entry]] = 1.0
        mean = sum(self.solution[place] for place, value in enumerate(row) if value)
        if not cell:
            return Guess(0.0, tuple(row), 0.0)
        unknown = sum(entry not in self.columns for entry in cell) * _EFFECT**2
        departure, own, shift = self.departures.get(cell, (0.0, _DEPARTURE**2, ()))
        for place, value in enumerate(shift):
            row[place] -= value
        return Guess(mean + departure, tuple(row), own + unknown)

    def error(self, one: Guess, other: Guess) -> float:
        """Return the standard error of the difference of two configurations' means."""
        row = {place: value for place, (a, b) in enumerate(zip(one.row, other.row, strict=True)) if (value := a - b)}
        spread = sum(a * b * self.covariance[i][j] for i, a in row.items() for j, b in row.items())
        return math.sqrt(max(spread, 0.0) + one.own + other.own)


@lru_cache(maxsize=64)
def fit(observations: tuple[Observation, ...], gaps: tuple[float, ...]) -> Fit:
    """Return the model of observations (at least one); ``gaps``: how many visits each knot is after the one before."""
    entries = sorted({entry for one in observations for entry in one.cell})
    columns = {entry: place for place, entry in enumerate(entries, start=1)}
    prior = _prior(len(columns), gaps)
    cells = _rows(observations, columns)
    apart = {cell: _DEPARTURE**2 if cell else 0.0 for cell in cells}
    noise, freedom = _NOISE**2, float(_NOISE_WEIGHT)
    for _ in range(_ROUNDS):
        covariance, solution = _solved(prior, cells, apart, noise)
        rest = {cell: [value - _at(row, solution) for row, value in own] for cell, own in cells.items()}
        departures = {
            cell: _departure(own, rest[cell], apart[cell], noise, len(solution)) for cell, own in cells.items()
        }
        means = {cell: sum(own) / len(own) for cell, own in rest.items()}
        apart = {
            cell: max(_DEPARTURE**2, means[cell] ** 2 - noise / len(own)) if cell else 0.0 for cell, own in rest.items()
        }
        squares = sum((value - means[cell]) ** 2 for cell, own in rest.items() for value in own)
        freedom = _NOISE_WEIGHT + sum(len(own) - 1 for own in rest.values())
        noise = (_NOISE_WEIGHT * _NOISE**2 + squares) / freedom
    return Fit(
        columns,
        tuple(solution),
        tuple(tuple(line) for line in covariance),
        departures,
        math.sqrt(noise),
        freedom,
    )


def _rows(
    observations: tuple[Observation, ...], columns: Mapping[tuple[str, str], int]
) -> dict[Cell, list[tuple[Row, float]]]:
    """Return a row of the model per visit, by configuration, with its log value beside the first visit's."""
    level, first = observations[0].log_value, len(columns) + 1
    cells: dict[Cell, list[tuple[Row, float]]] = {}
    for one in observations:
        row = {0: 1.0, **{columns[entry]: 1.0 for entry in one.cell}}
        row.update({first + knot: weight for knot, weight in one.drift if weight})
        cells.setdefault(one.cell, []).append((row, one.log_value - level))
    return cells


def _prior(effects: int, gaps: Sequence[float]) -> list[list[float]]:
    first, size = effects + 1, effects + 1 + len(gaps)
    prior = [[0.0] * size for _ in range(size)]
    prior[0][0] = _FLAT
    for place in range(1, first):
        prior[place][place] = _EFFECT**-2
    prior[first][first] = _FIRST_DRIFT**-2
    for knot in range(1, len(gaps)):
        weight, one, other = 1 / (max(gaps[knot], 1.0) * _WALK**2), first + knot - 1, first + knot
        prior[one][one] += weight
        prior[other][other] += weight
        prior[one][other] -= weight
        prior[other][one] -= weight
    return prior


def _solved(
    prior: list[list[float]],
    cells: Mapping[Cell, Sequence[tuple[Row, float]]],
    apart: Mapping[Cell, float],
    noise: float,
) -> tuple[list[list[float]], list[float]]:
    """Return the covariance of all parameters, and their means; visits of one cell share its departure."""
    matrix = [list(line) for line in prior]
    right = [0.0] * len(prior)
    for cell, own in cells.items():
        shared = apart[cell] / (noise + len(own) * apart[cell])
        total, sum_value = _summed(own)
        for row, value in own:
            _add(matrix, row, 1 / noise)
            for place, weight in row.items():
                right[place] += weight * value / noise
        _add(matrix, total, -shared / noise)
        for place, weight in total.items():
            right[place] -= shared * weight * sum_value / noise
    covariance = _inverse(matrix)
    return covariance, [sum(a * b for a, b in zip(line, right, strict=True)) for line in covariance]


def _departure(
    own: Sequence[tuple[Row, float]], rest: Sequence[float], apart: float, noise: float, size: int
) -> tuple[float, float, tuple[float, ...]]:
    """Return how far a cell is from its sum, the variance of that, and how it moves with the other parameters."""
    believed = apart / (apart + noise / len(own))
    total, _ = _summed(own)
    shift = [0.0] * size
    for place, weight in total.items():
        shift[place] = believed * weight / len(own)
    return believed * sum(rest) / len(rest), believed * noise / len(own), tuple(shift)


def _summed(own: Sequence[tuple[Row, float]]) -> tuple[Row, float]:
    total: Row = {}
    for row, _ in own:
        for place, weight in row.items():
            total[place] = total.get(place, 0.0) + weight
    return total, sum(value for _, value in own)


def _add(matrix: list[list[float]], row: Row, factor: float) -> None:
    for one, a in row.items():
        line, scaled = matrix[one], a * factor
        for other, b in row.items():
            line[other] += scaled * b


def _at(row: Row, solution: Sequence[float]) -> float:
    return sum(weight * solution[place] for place, weight in row.items())


def _inverse(matrix: list[list[float]]) -> list[list[float]]:
    """Return the inverse of a positive definite matrix (Gauss and Jordan; such a one needs no pivoting)."""
    size = len(matrix)
    wide = [[*line, *(1.0 if place == at else 0.0 for place in range(size))] for at, line in enumerate(matrix)]
    for at in range(size):
        pivot = wide[at][at]
        lead = [value / pivot for value in wide[at]]
        wide[at] = lead
        for place in range(size):
            factor = wide[place][at]
            if place != at and factor:
                wide[place] = [value - factor * over for value, over in zip(wide[place], lead, strict=True)]
    return [line[size:] for line in wide]

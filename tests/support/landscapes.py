"""Virtual landscapes for the search: grids of knobs whose truth is known, visited by a machine with real noise."""

import itertools
import math
import random
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tests.support.virtual import WORLDS, World

from sparktune.experiment.design import Arm, blocks_of
from sparktune.experiment.outliers import extra_trials
from sparktune.experiment.rules import Rules
from sparktune.experiment.search import next_task, visits_left
from sparktune.experiment.verdict import Verdict, judge
from sparktune.model.sweep import (
    BASELINE,
    Candidate,
    ConfirmTask,
    DoneTask,
    KnobRange,
    SweepPlan,
    SweepVisit,
    VisitEnd,
    VisitTask,
)

CURVES: Mapping[str, tuple[float, ...]] = {
    "peak": (0.0, 0.08, 0.16, 0.05, -0.06),
    "steep": (0.0, 0.12, 0.22, 0.10, -0.05),
    "saturates": (0.0, 0.08, 0.13, 0.15, 0.15),
    "falls": (0.0, -0.04, -0.09, -0.15, -0.20),
    "weak": (0.0, 0.02, 0.01, -0.01, 0.02),
}
"""Log ratios along the values of a knob. A landscape draws one for each knob, and where on it the baseline is."""

GRIDS: tuple[tuple[int, ...], ...] = ((4, 3, 3), (4, 4, 3), (5, 4, 3))

KINDS: Mapping[str, str] = {
    "additive": "every knob does its own",
    "antagonism": "the best values of two knobs lose 15 % together",
    "synergy": "the best values of two knobs gain 10 % more together",
    "cliff": "beyond some value of one knob the speed halves",
    "joint cliff": "far up on two knobs together the speed halves",
    "corners": "two knobs raise memory: the largest of one does not start, nor do large ones together",
    "pair noise": "two knobs: every pair of their values departs by a random 5 % from the sum",
    "flat": "no knob does anything",
}

Point = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Landscape:
    """``truth``: log ratio to the baseline (all zeros) by the places of values; ``infeasible`` does not start."""

    sizes: tuple[int, ...]
    truth: Mapping[Point, float]
    infeasible: frozenset[Point] = frozenset()
    memory: frozenset[int] = frozenset()

    @property
    def best(self) -> float:
        """The best feasible log ratio."""
        return max(value for point, value in self.truth.items() if point not in self.infeasible)

    @property
    def cells(self) -> int:
        """The configurations of the whole grid."""
        return math.prod(self.sizes)

    def plan(self, seed: int, **more: object) -> SweepPlan:
        """Return the plan that a user would make; values are named by their place, 0 is the baseline's."""
        ranges = tuple(
            KnobRange(
                knob=f"k{knob}",
                values=tuple(map(str, range(1, size))),
                baseline="0",
                raises_memory=knob in self.memory,
            )
            for knob, size in enumerate(self.sizes)
        )
        screened = tuple(
            Candidate(
                key=f"{one.knob}={value}",
                values={one.knob: value},
                after=f"{one.knob}={one.values[place - 1]}" if one.raises_memory and place else "",
            )
            for one in ranges
            for place, value in enumerate(one.values)
        )
        return replace(SweepPlan(ranges=ranges, screened=screened, seed=seed), **more)  # type: ignore[arg-type]

    def third(self, seed: int) -> SweepPlan:
        """Return the plan with as many blocks, up to five, as a third of the grid pays for, three visits to a cell."""
        plans = (self.plan(seed, race_blocks=blocks) for blocks in range(5, 0, -1))
        return next(plan for plan in plans if visits_left(plan, ()) <= self.cells)

    def point(self, candidate: Candidate) -> Point:
        """Return where a candidate is in the grid."""
        return tuple(int(candidate.values.get(f"k{knob}", "0")) for knob in range(len(self.sizes)))


def landscape(kind: str, draw: random.Random, sizes: tuple[int, ...] | None = None) -> Landscape:
    """Draw a landscape of a kind (``KINDS``)."""
    sizes = sizes or draw.choice(GRIDS)
    curves = [_curve(size, draw) if kind != "flat" else [0.0] * size for size in sizes]
    one, other = draw.sample(range(len(sizes)), 2)
    if kind == "cliff":
        edge = draw.randrange(1, sizes[one])
        curves[one] = [value - math.log(2) * (place >= edge) for place, value in enumerate(curves[one])]
    tops = {knob: max(range(1, sizes[knob]), key=lambda place: curves[knob][place]) for knob in (one, other)}
    noise = {places: draw.gauss(0, 0.05) for places in itertools.product(range(1, 9), repeat=2)}
    truth, infeasible = {}, set()
    for point in itertools.product(*map(range, sizes)):
        far = point[one] / (sizes[one] - 1) + point[other] / (sizes[other] - 1) > 1.2
        both_best = point[one] == tops[one] and point[other] == tops[other]
        truth[point] = sum(curve[place] for curve, place in zip(curves, point, strict=True))
        if kind == "antagonism":
            truth[point] -= 0.15 * both_best
        elif kind == "synergy":
            truth[point] += 0.10 * both_best
        elif kind == "joint cliff":
            truth[point] -= math.log(2) * far
        elif kind == "pair noise":
            truth[point] += noise.get((point[one], point[other]), 0.0)
        elif kind == "corners" and (far or point[one] == sizes[one] - 1):
            infeasible.add(point)
    memory = frozenset({one, other}) if kind == "corners" else frozenset()
    return Landscape(sizes=sizes, truth=truth, infeasible=frozenset(infeasible), memory=memory)


def _curve(size: int, draw: random.Random) -> list[float]:
    curve = draw.choice(sorted(CURVES.values()))
    start = draw.randrange(len(curve) - size + 1)
    part = list(curve[start : start + size])
    part.insert(0, part.pop(draw.randrange(size)))
    return [value - part[0] for value in part]


@dataclass
class Machine:
    """A machine with the noise of a world, that is visited again and again; ``trials`` per visit."""

    world: World
    draw: random.Random
    trials: int = 3
    minute: float = 0.0
    walk: float = 0.0

    def visit(self, level: float) -> tuple[float, float]:
        """Return the log of the median of the trials of a visit at this level, and how many minutes it took."""
        started, world = self.minute, self.world
        self.minute += world.restart_minutes
        self.walk = self.walk / 2 + self.draw.gauss(0, world.wander)
        level += self.walk + self.draw.gauss(0, world.boot)
        found: list[float] = []
        wanted = self.trials
        while len(found) < wanted:
            self.minute += world.trial_minutes
            heat = world.cooling * (1 - math.exp(-self.minute / world.warm_minutes))
            value = math.exp(level + self.draw.gauss(0, world.trial)) * (1 - heat)
            found.append(value * world.outlier if self.draw.random() < world.outliers else value)
            if len(found) == self.trials:
                wanted += extra_trials(found)
        return math.log(statistics.median(found)), self.minute - started

    def confirmed(self, level: float) -> tuple[Verdict, int]:
        """Compare a level with the baseline's on fresh blocks as ``ab`` does; return its verdict, and the visits."""
        rules, ratios = Rules(), []
        for block in blocks_of(rules.last.blocks, (0,), self.draw.random):
            values = {arm: self.visit(level if arm is Arm.B else 0.0)[0] for arm in block.visits}
            ratios.append(values[Arm.B] - values[Arm.A])
            verdict = judge(ratios, rules).verdict if rules.look_after(block.number) else None
            if verdict is not None:
                return verdict, 2 * block.number
        raise AssertionError


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A virtual sweep: ``lost`` is how much worse (as a log) than the best of the grid what it chose is.

    ``kept_lost`` is the same of what would be kept: the chosen one if the confirmation accepted it, else the baseline.
    """

    chosen: str
    lost: float
    kept_lost: float
    visits: int
    cells: int
    confirm_visits: int
    accepted: bool
    path: Sequence[SweepVisit] = field(default_factory=tuple)


def swept(
    ground: Landscape, draw: random.Random, *, world: World = WORLDS["base"], trials: int = 3, blocks: int = 0
) -> Outcome:
    """Carry a search out to its end, with the confirmation; ``blocks`` 0: what a third of the grid pays for."""
    seed = draw.randrange(1 << 30)
    plan = ground.plan(seed, race_blocks=blocks) if blocks else ground.third(seed)
    machine = Machine(world, draw, trials)
    visits: list[SweepVisit] = []
    while isinstance(task := next_task(plan, visits), VisitTask):
        visits.append(visited(ground, machine, task, len(visits) + 1))
        assert len(visits) < 200
    chosen = task.candidate if isinstance(task, ConfirmTask) else Candidate(key=BASELINE)
    assert isinstance(task, ConfirmTask | DoneTask)
    level = ground.truth[ground.point(chosen)]
    verdict, fresh = machine.confirmed(level) if isinstance(task, ConfirmTask) else (None, 0)
    accepted = verdict is Verdict.IMPROVED
    return Outcome(
        chosen=chosen.key,
        lost=ground.best - level,
        kept_lost=ground.best - (level if accepted else 0.0),
        visits=len(visits),
        cells=ground.cells,
        confirm_visits=fresh,
        accepted=accepted,
        path=tuple(visits),
    )


def visited(ground: Landscape, machine: Machine, task: VisitTask, number: int) -> SweepVisit:
    """Carry one visit out."""
    point = ground.point(task.candidate)
    made = SweepVisit(number=number, stage=task.stage, block=task.block, key=task.candidate.key, end=VisitEnd.MEASURED)
    if point in ground.infeasible:
        machine.minute += machine.world.restart_minutes
        took = 60 * machine.world.restart_minutes
        return replace(made, end=VisitEnd.INFEASIBLE, why="out of memory at start", took_s=took)
    log_value, minutes = machine.visit(ground.truth[point])
    return replace(made, log_value=log_value, took_s=60 * minutes)

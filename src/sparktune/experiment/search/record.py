"""What the visits of a sweep settled: who ran, who did not and why, and what follows for those not tried."""

__all__ = ["Record", "cell_of", "key_of", "typical_visit_s"]

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from sparktune.experiment.search.fit import Cell
from sparktune.model.sweep import BASELINE, Candidate, Constraint, Stage, SweepPlan, SweepVisit, VisitEnd
from sparktune.units import Seconds

_MOST_VOID: Final = 3
"""So often one visit is begun; if none of them is valid, its configuration stays unknown."""

_FAILED = {VisitEnd.INFEASIBLE, VisitEnd.STOPPED, VisitEnd.REFUSED}


def cell_of(candidate: Candidate) -> Cell:
    """Return a candidate as the model's configuration."""
    return tuple(sorted(candidate.values.items()))


def key_of(cell: Cell) -> str:
    """Return the name of a configuration, as candidates are named."""
    return " ".join(f"{knob}={value}" for knob, value in cell) or BASELINE


@dataclass(frozen=True, kw_only=True)
class Record:
    """A plan and its visits of screening and race, in order; everything else follows from these two."""

    plan: SweepPlan
    visits: tuple[SweepVisit, ...]

    def before(self, block: int) -> "Record":
        """Return what was known when a block of the race was put together."""
        kept = tuple(one for one in self.visits if one.stage is Stage.SCREEN or one.block < block)
        return self if len(kept) == len(self.visits) else Record(plan=self.plan, visits=kept)

    @cached_property
    def settled(self) -> tuple[SweepVisit, ...]:
        """The visits that are not to be made again: those with an end, and the last of too many void ones."""
        voids: Counter[tuple[str, Stage, int]] = Counter()
        found = []
        for visit in self.visits:
            place = (visit.key, visit.stage, visit.block)
            voids[place] = voids[place] + 1 if visit.end is VisitEnd.VOID else 0
            if visit.end is not VisitEnd.VOID or voids[place] >= _MOST_VOID:
                found.append(visit)
                voids[place] = 0
        return tuple(found)

    @cached_property
    def measured(self) -> Mapping[str, tuple[SweepVisit, ...]]:
        """The measured visits by key."""
        found: dict[str, tuple[SweepVisit, ...]] = {}
        for visit in self.visits:
            if visit.end is VisitEnd.MEASURED and visit.log_value is not None:
                found[visit.key] = (*found.get(visit.key, ()), visit)
        return found

    @cached_property
    def failed(self) -> Mapping[str, str]:
        """Why a configuration did not run, by key."""
        return {visit.key: visit.why or f"it ended {visit.end.value}" for visit in self.visits if visit.end in _FAILED}

    @cached_property
    def below(self) -> Mapping[tuple[str, str], tuple[str, str]]:
        """The next smaller value of the same knob, for values that raise memory."""
        singles = {one.key: cell_of(one)[0] for one in self.plan.screened if one.moved == 1}
        return {singles[one.key]: singles[one.after] for one in self.plan.screened if one.after in singles}

    def raised(self, entry: tuple[str, str]) -> tuple[tuple[str, str], ...]:
        """Return the values below this one, the nearest first."""
        found: list[tuple[str, str]] = []
        while entry in self.below and self.below[entry] not in found:
            entry = self.below[entry]
            found.append(entry)
        return tuple(found)

    @cached_property
    def failed_cells(self) -> tuple[tuple[Cell, str], ...]:
        """Configurations that did not run, or that the plan left out, with the reason."""
        named = [(self._to_blame(key), f"{key} did not run: {why}") for key, why in self.failed.items()]
        named += [(self.cell(one.key), f"{one.key} was left out: {one.why}") for one in self.plan.pruned]
        return tuple((cell, why) for cell, why in named if cell)

    def _to_blame(self, key: str) -> Cell:
        """Return what of a configuration is not tried again: its values that raise memory, where several met in it.

        Each of them ran alone, so it is their sum that is too much, most likely; to find that out again costs a start.
        """
        cell, refused = self.cell(key), {visit.key for visit in self.visits if visit.end is VisitEnd.REFUSED}
        raising = {one.knob for one in self.plan.ranges if one.raises_memory}
        memory = tuple(entry for entry in cell if entry[0] in raising)
        return memory if len(memory) > 1 and key not in refused else cell

    @cached_property
    def _entries(self) -> tuple[tuple[str, str], ...]:
        return tuple(sorted({entry for one in self.plan.screened for entry in cell_of(one)}))

    def cell(self, key: str) -> Cell:
        """Return the configuration of a visit by its key; () for the baseline's."""
        return (
            ()
            if key == BASELINE
            else _parsed(key, sorted({entry for one in self.plan.screened for entry in cell_of(one)})) or ()
        )

    def why_not(self, cell: Cell) -> str:
        """Return why a configuration is not to be tried: it holds one that did not run, or more of it; "" if it may."""
        return next((why for failed, why in self.failed_cells if self._holds(cell, failed)), "")

    def _holds(self, cell: Cell, part: Cell) -> bool:
        values = dict(cell)
        return all(
            knob in values and (values[knob] == value or (knob, value) in self.raised((knob, values[knob])))
            for knob, value in part
        )

    def unfit(self, key: str) -> str:
        """Return which constraint a measured configuration breaks, "" for none; unknown is not within a limit."""
        broken = (_broken(limit, self.measured.get(key, ())) for limit in self.plan.constraints)
        return next(filter(None, broken), "")

    @cached_property
    def typical_s(self) -> Seconds | None:
        """How long the next visit will take."""
        return typical_visit_s(self.plan, self.visits)

    @cached_property
    def affordable(self) -> int | None:
        """How many more visits the budget has room for, None for no limit and while nothing tells what one takes."""
        if self.plan.budget_s is None:
            return None
        left = self.plan.budget_s - sum(visit.took_s for visit in self.visits)
        if left <= 0:
            return 0
        return int(left / self.typical_s) if self.typical_s else None

    def affords(self, visits: int) -> bool:
        """Tell whether the budget has room for so many more visits."""
        return self.affordable is None or self.affordable >= visits


def typical_visit_s(plan: SweepPlan, visits: Sequence[SweepVisit]) -> Seconds | None:
    """Return the median of the visits that were measured, what the plan thinks before, None where it does not know."""
    took = [visit.took_s for visit in visits if visit.end is VisitEnd.MEASURED and visit.took_s > 0]
    return statistics.median(took) if took else plan.visit_s


def _parsed(key: str, entries: Iterable[tuple[str, str]]) -> Cell | None:
    """Return the values that a key names, None when it names others; values may hold spaces."""
    if not key:
        return ()
    for knob, value in entries:
        text = f"{knob}={value}"
        if key == text or key.startswith(f"{text} "):
            rest = _parsed(key[len(text) + 1 :], entries)
            if rest is not None:
                return ((knob, value), *rest)
    return None


def _broken(limit: Constraint, visits: Sequence[SweepVisit]) -> str:
    values = [visit.metrics[limit.metric] for visit in visits if limit.metric in visit.metrics]
    if not visits:
        return ""
    if not values:
        return f"{limit.metric} is unknown, and has a limit"
    middle = statistics.median(values)
    fits = middle <= limit.limit if limit.at == "most" else middle >= limit.limit
    return "" if fits else f"{limit.metric} {middle:.4g}, at {limit.at} {limit.limit:.4g} wanted"

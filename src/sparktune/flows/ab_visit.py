"""One visit: the arm is set and read back live, then measured, then read back again; all of it in the store."""

__all__ = ["Place", "run_visit"]

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sparktune.errors import EndpointError, Interrupted, SparktuneError
from sparktune.experiment.design import Arm, Block
from sparktune.experiment.plan import Experiment, VisitRecord, VisitState
from sparktune.experiment.result import MeasuredVisit
from sparktune.flows.ab_measure import Measured, measure_visit
from sparktune.flows.ab_tools import AbTools
from sparktune.io.launching.reading import LiveReading
from sparktune.model.launcher import ArmPlan
from sparktune.model.result import RunResult
from sparktune.model.run import Run
from sparktune.units import format_duration

_INTERRUPTED = "interrupted"
_DYING_LOOKS, _DYING_S = 10, 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Which visit this is: the ``place``-th of its block, in the ``attempt``-th attempt at it."""

    block: Block
    attempt: int
    place: int

    @property
    def arm(self) -> Arm:
        """The arm that is visited."""
        return self.block.visits[self.place]


async def run_visit(
    tools: AbTools,
    experiment: Experiment,
    place: Place,
    *,
    owed: Mapping[str, int],
    earlier: Sequence[RunResult],
) -> tuple[MeasuredVisit, Mapping[str, int]]:
    """Make one visit and return it with the trials that the block's other visit owes.

    A visit that was refused, changed its setting or lost its server is returned as what it is. Raises Interrupted and
    CancelledError, and whatever else ends it; the store says why then.
    """
    visit = _Visit(tools, experiment, place)
    try:
        return await visit.run(owed, earlier)
    except (asyncio.CancelledError, Interrupted, KeyboardInterrupt):
        visit.end(VisitState.VOID, _INTERRUPTED)
        raise
    except EndpointError as error:
        gone = await _gone(tools)
        if not gone:
            visit.end(VisitState.VOID, str(error))
            raise
        return visit.end(VisitState.STOPPED, f"the server of arm {place.arm.value} is gone: {gone}"), {}
    except SparktuneError as error:
        visit.end(VisitState.VOID, str(error))
        raise


class _Visit:
    def __init__(self, tools: AbTools, experiment: Experiment, place: Place) -> None:
        self._tools = tools
        self._experiment = experiment
        self._place = place
        self._plan: ArmPlan = tools.planner.plan(place.arm.value)
        self._record = VisitRecord(
            experiment_id=experiment.id,
            block=place.block.number,
            attempt=place.attempt,
            place=place.place,
            arm=place.arm,
            state=VisitState.RUNNING,
            started_wall_s=tools.wall_s(),
        )
        self._keep()

    async def run(
        self, owed: Mapping[str, int], earlier: Sequence[RunResult]
    ) -> tuple[MeasuredVisit, Mapping[str, int]]:
        tools, arm = self._tools, self._place.arm.value
        tools.progress.say(f"block {self._record.block} of {len(self._experiment.blocks)}: setting arm {arm}")
        await tools.hold.set_arm(arm, self._plan)
        before = await tools.hold.read_live(self._plan)
        self._change(live_before=dict(before.values), live_wanted=dict(before.wanted), notes=_notes(tools, before))
        if not before.ok:
            return self.end(VisitState.REFUSED, before.why or "it could not be read back"), {}
        await self._settle()
        started = await tools.gate.wait()
        self._change(sensors=dict(started.sensors), notes=(*self._record.notes, *started.notes))
        measured = await measure_visit(
            tools, self._experiment, self._place.block, owed=owed, earlier=earlier, began=self._began
        )
        return await self._read_again(measured)

    async def _read_again(self, measured: Measured) -> tuple[MeasuredVisit, Mapping[str, int]]:
        gone = self._tools.hold.ended()
        if gone:
            return self.end(VisitState.STOPPED, f"the server of arm {self._place.arm.value} is gone: {gone}"), {}
        after: LiveReading = await self._tools.hold.read_live(self._plan)
        at_end = {f"{name}@end": value for name, value in (await self._tools.gate.read()).items()}
        self._change(sensors={**self._record.sensors, **at_end})
        self._change(
            live_after=_seen(self._record.live_before, after),
            notes=_merged(self._record.notes, _notes(self._tools, after)),
        )
        if self._record.live_after != self._record.live_before:
            why = after.why or "what was read back after the trials is not what was read before them"
            return self.end(VisitState.VOID, why), {}
        return self.end(VisitState.DONE, "", measured.result), measured.owed

    async def _settle(self) -> None:
        wait_s = self._experiment.hot_settle_s
        if self._plan.takes == "live" and wait_s:
            self._tools.progress.say(f"letting it settle for {format_duration(wait_s)}")
            await self._tools.sleep(wait_s)

    def _began(self, run: Run) -> None:
        self._change(run_id=run.id)

    def end(self, state: VisitState, why: str, result: RunResult | None = None) -> MeasuredVisit:
        """Keep how the visit ended."""
        self._change(state=state, why=why, ended_wall_s=self._tools.wall_s())
        return MeasuredVisit(record=self._record, result=result)

    def _change(self, **changes: object) -> None:
        self._record = replace(self._record, **changes)  # type: ignore[arg-type]
        self._keep()

    def _keep(self) -> None:
        self._tools.store.set_visit(self._record)


async def _gone(tools: AbTools) -> str:
    """Return how the started server ended; one that is just dying is given a moment."""
    for _ in range(_DYING_LOOKS):
        gone = tools.hold.ended()
        if gone:
            return gone
        await tools.sleep(_DYING_S)
    return ""


def _seen(before: Mapping[str, str], after: LiveReading) -> dict[str, str]:
    """Return what was read again; never the same as before when the arm is not live any more."""
    values = dict(after.values)
    if after.ok or values != before:
        return values or dict.fromkeys(before, "unread")
    return {**values, "live": after.why or "no"}


def _notes(tools: AbTools, reading: LiveReading) -> tuple[str, ...]:
    return _merged(tuple(tools.hold.notes), reading.notes)


def _merged(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))

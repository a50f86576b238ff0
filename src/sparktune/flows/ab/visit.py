"""One visit under guards: the arm is set and read back live, measured, watched a while longer, and read back again."""

__all__ = ["Place", "run_visit"]

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace

from sparktune.errors import BootDue, EndpointError, Interrupted, SparktuneError
from sparktune.experiment.design import STEPS_UP_BLOCK, Arm, Block
from sparktune.experiment.memory_curve import curve_of
from sparktune.experiment.plan import Experiment, VisitRecord, VisitState
from sparktune.experiment.result import MeasuredVisit
from sparktune.flows.ab.gate import Started
from sparktune.flows.ab.guard import LOST, Guarded, Tripped, Watching
from sparktune.flows.ab.load import VisitLoad
from sparktune.flows.ab.measure import Measured, measure_visit
from sparktune.flows.ab.quality import visit_quality
from sparktune.flows.ab.reading import gone, merged, notes_of, seen_again
from sparktune.flows.ab.tools import AbTools
from sparktune.io.launching.reading import LiveReading
from sparktune.model.guard import Phase, Trip
from sparktune.model.launcher import ArmPlan
from sparktune.model.result import RunResult
from sparktune.model.run import Run
from sparktune.units import Seconds, format_duration

_INTERRUPTED = "interrupted"
_ASKED_AGAIN_S: tuple[Seconds, ...] = (1.0, 3.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Which visit this is: the ``place``-th of its block, in the ``attempt``-th attempt at it.

    ``words`` say for people what is set, "" for the arm by its letter. ``upwards``: its cells go from the lightest to
    the heaviest, each only with memory for it, as they do in the first block.
    """

    block: Block
    attempt: int
    place: int
    words: str = ""
    upwards: bool = False

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
    booted: bool = False,
) -> tuple[MeasuredVisit, Mapping[str, int]]:
    """Make one visit and return it with the trials that the block's other visit owes.

    ``booted``: its arm was set before this machine booted, and this is what it booted for.

    A visit that was refused, changed its setting, lost its server or a node, or was stopped by a guard is returned as
    what it is. Raises Interrupted and CancelledError, and whatever else ends it; the store says why then.
    """
    visit = _Visit(tools, experiment, place, booted=booted)
    try:
        return await visit.run(owed, earlier)
    except (asyncio.CancelledError, Interrupted, KeyboardInterrupt):
        visit.end(VisitState.VOID, _INTERRUPTED)
        raise
    except BootDue as error:
        visit.end(VisitState.BOOTING, str(error))
        raise
    except Tripped as error:
        # Of a load that fails the server's own end says more, unless we have ended it.
        alone = not error.trip.node and not experiment.protection.stop_engine
        how = await gone(tools) if alone else ""
        why = f"the server of arm {place.arm.value} is gone: {how}" if how else str(error)
        return visit.end(VisitState.STOPPED, why, trip=error.trip), {}
    except LOST as error:
        return visit.end(VisitState.VOID, f"a node was lost: {error}", lost=str(error)), {}
    except EndpointError as error:
        how = await gone(tools)
        if not how:
            visit.end(VisitState.VOID, str(error))
            raise
        return visit.end(VisitState.STOPPED, f"the server of arm {place.arm.value} is gone: {how}"), {}
    except SparktuneError as error:
        visit.end(VisitState.VOID, str(error))
        raise


class _Visit:
    def __init__(self, tools: AbTools, experiment: Experiment, place: Place, *, booted: bool) -> None:
        self._booted = booted
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
        protection = self._experiment.protection
        if self._plan.takes == "reboot":  # a machine that boots cannot be watched
            await self._set_arm()
        async with self._tools.watch(protection) as watch:
            hold = self._tools.hold
            guarded = Guarded(watch, hold.kill if protection.stop_engine else None, hold.ended)
            try:
                return await self._watched(watch, guarded, owed, earlier)
            finally:
                self._keep_watched(watch)

    async def _watched(
        self, watch: Watching, guarded: Guarded, owed: Mapping[str, int], earlier: Sequence[RunResult]
    ) -> tuple[MeasuredVisit, Mapping[str, int]]:
        why = await self._set(watch, guarded)
        if why:
            return self.end(VisitState.REFUSED, why), {}
        guarded.phase(Phase.IDLE)
        started = await guarded.run(self._cool())
        self._change(sensors=dict(started.sensors), notes=(*self._record.notes, *started.notes))
        load = VisitLoad(
            watch,
            self._experiment.protection.limits,
            guarded.phase,
            gated=self._place.upwards or self._place.block.number == STEPS_UP_BLOCK,
        )
        trials = measure_visit(
            self._tools,
            self._experiment,
            self._place.block,
            owed=owed,
            earlier=earlier,
            began=self._began,
            watch=load,
        )
        async with self._asked(load):
            measured = await guarded.run(trials)
        asked = visit_quality(self._tools, self._experiment, self._place.arm, measured.result.run)
        self._change(quality=await guarded.run(asked))
        return await self._read_again(watch, guarded, measured)

    @asynccontextmanager
    async def _asked(self, load: VisitLoad) -> AsyncIterator[None]:
        """Have the endpoint asked whether it answers, meanwhile."""
        asking = None if self._tools.asks is None else asyncio.create_task(self._tools.asks(load.heard))
        try:
            yield
        finally:
            if asking is not None:
                asking.cancel()
                with suppress(asyncio.CancelledError):
                    await asking

    async def _set(self, watch: Watching, guarded: Guarded) -> str:
        """Set the arm and read it back; return why it is not live."""
        tools = self._tools
        guarded.phase(Phase.STARTING)
        if self._plan.takes != "reboot":
            await guarded.run(self._set_arm())
        before = await guarded.run(tools.hold.read_live(self._plan))
        for node, pids in before.processes.items():
            watch.ours(node, pids)
        self._change(live_before=dict(before.values), live_wanted=dict(before.wanted), notes=notes_of(tools, before))
        return "" if before.ok else before.why or "it could not be read back"

    async def _set_arm(self) -> None:
        tools, arm = self._tools, self._place.arm.value
        where = f"block {self._record.block} of {len(self._experiment.blocks)}"
        if self._booted:
            tools.progress.say(f"{where}: this machine has booted for arm {arm}")
            await tools.hold.after_boot(self._plan)
            return
        tools.progress.say(self._place.words or f"{where}: setting arm {arm}")
        await tools.hold.set_arm(arm, self._plan)

    async def _cool(self) -> Started:
        await self._settle()
        return await self._tools.gate.wait()

    async def _read_again(
        self, watch: Watching, guarded: Guarded, measured: Measured
    ) -> tuple[MeasuredVisit, Mapping[str, int]]:
        how = self._tools.hold.ended()
        if how:
            return self.end(VisitState.STOPPED, f"the server of arm {self._place.arm.value} is gone: {how}"), {}
        at_end = {f"{name}@end": value for name, value in (await self._tools.gate.read()).items()}
        self._change(sensors={**self._record.sensors, **at_end})
        await self._tail(watch, guarded)
        after = await self._live_again(guarded)
        self._change(
            live_after=seen_again(self._record.live_before, after),
            notes=merged(self._record.notes, notes_of(self._tools, after)),
        )
        if self._record.live_after != self._record.live_before:
            why = after.why or "what was read back after the trials is not what was read before them"
            return self.end(VisitState.VOID, why), {}
        return self.end(VisitState.DONE, "", measured.result), measured.owed

    async def _live_again(self, guarded: Guarded) -> LiveReading:
        """Read the arm back; what did not answer is asked again: a server that is slow once has changed nothing."""
        reading: LiveReading = await guarded.run(self._tools.hold.read_live(self._plan))
        for pause_s in _ASKED_AGAIN_S:
            if self._record.live_before.keys() <= reading.values.keys():
                break
            await guarded.run(_slept(self._tools, pause_s))
            reading = await guarded.run(self._tools.hold.read_live(self._plan))
        return reading

    async def _tail(self, watch: Watching, guarded: Guarded) -> None:
        """Watch on with the arm still set: a host may begin to swap when the load is over already."""
        tail_s = self._experiment.protection.tail_s
        if not watch.nodes or not tail_s:
            return
        self._tools.progress.say(f"nothing is sent; the guards watch for {format_duration(tail_s)} more")
        guarded.phase(Phase.TAIL)
        await guarded.run(_slept(self._tools, tail_s))

    def _keep_watched(self, watch: Watching) -> None:
        record = self._record
        for node in watch.nodes:
            curve = curve_of(node, watch.curve(node), visit=(record.block, record.attempt, record.place))
            if curve is not None:
                self._tools.store.set_curve(record.experiment_id, curve)
        self._change(unwatched=tuple(watch.unwatched))

    async def _settle(self) -> None:
        wait_s = self._experiment.hot_settle_s
        if self._plan.takes == "live" and wait_s:
            self._tools.progress.say(f"letting it settle for {format_duration(wait_s)}")
            await self._tools.sleep(wait_s)

    def _began(self, run: Run) -> None:
        self._change(run_id=run.id)

    def end(
        self, state: VisitState, why: str, result: RunResult | None = None, *, trip: Trip | None = None, lost: str = ""
    ) -> MeasuredVisit:
        """Keep how the visit ended."""
        self._change(state=state, why=why, ended_wall_s=self._tools.wall_s(), trip=trip, lost=lost)
        return MeasuredVisit(record=self._record, result=result)

    def _change(self, **changes: object) -> None:
        self._record = replace(self._record, **changes)  # type: ignore[arg-type]
        self._keep()

    def _keep(self) -> None:
        self._tools.store.set_visit(self._record)


async def _slept(tools: AbTools, seconds: Seconds) -> None:
    await tools.sleep(seconds)

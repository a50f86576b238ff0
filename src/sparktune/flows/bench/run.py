"""Measure a workload: every cell is warmed up, then measured in waves; each wave is stored before the next starts."""

__all__ = ["BenchTools", "run_bench"]

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from sparktune.bench.running import running_now
from sparktune.bench.trial import decode_trial
from sparktune.bench.warmup import Continue, WarmupPoint, next_step, point_of
from sparktune.errors import ConnectFailed, EndpointError, Interrupted
from sparktune.flows.bench.load_watch import LoadWatch, Unobserved
from sparktune.flows.bench.prepare import Preparation
from sparktune.flows.bench.progress import Progress
from sparktune.flows.bench.tracker import Tracker
from sparktune.flows.bench.wave import WaveTools, record_wave
from sparktune.io.load.client import Progress as LoadProgress
from sparktune.io.signals import stop_on_signals
from sparktune.io.store.spool import Spool
from sparktune.io.store.store import Store
from sparktune.model.arrival import Start
from sparktune.model.cell import Cell
from sparktune.model.prepared import PreparedRequest
from sparktune.model.raw import Scrape
from sparktune.model.run import Run, RunState
from sparktune.model.timeline import FailureType
from sparktune.model.trial import Phase, Trial
from sparktune.model.warmup import WarmupOutcome
from sparktune.units import Nanoseconds, seconds_between


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchTools:
    """What a run works with. ``monotonic_ns`` is the clock of durations between waves; ``watch`` looks on."""

    wave: WaveTools
    preparation: Preparation
    store: Store
    spool: Spool
    progress: Progress
    monotonic_ns: Callable[[], Nanoseconds]
    watch: LoadWatch = field(default_factory=Unobserved)


async def run_bench(tools: BenchTools, run: Run) -> None:
    """Measure what the store does not have yet of ``run``, which must be in it, and keep every wave there.

    The first Ctrl-C or SIGTERM ends the wave that is running and keeps its finished requests. Raises Interrupted
    then, an EndpointError when the server went away, StoreError when a wave cannot be kept. The state in the store says
    how it ended.
    """
    task = asyncio.current_task()
    if task is None:
        message = "run_bench needs a running task"
        raise RuntimeError(message)
    tools.store.set_state(run.id, RunState.RUNNING)
    session = _Session(tools, run)
    state = RunState.FAILED
    try:
        with stop_on_signals(lambda: _cancel(task)):
            for cell in run.workload.cells:
                await session.measure(cell)
        state = RunState.DONE
    except asyncio.CancelledError as error:
        state = RunState.INTERRUPTED
        message = f"run {run.id} was interrupted; every finished request is kept"
        raise Interrupted(message, hint=f"go on with: sparktune bench --resume {run.id}") from error
    except EndpointError as error:
        hint = f"once it answers again, go on with: sparktune bench --resume {run.id}"
        message = f"{error}, in the middle of the run"
        raise type(error)(message, hint=hint) from error
    finally:
        tools.progress.close()
        tools.store.set_state(run.id, state)


class _Session:
    """One attempt at a run: knows what earlier attempts have stored, and keeps count."""

    def __init__(self, tools: BenchTools, run: Run) -> None:
        self._tools = tools
        self._run = run
        self._done: Counter[Cell] = Counter()
        self._waves: Counter[tuple[Cell, Phase]] = Counter()
        for raw in tools.store.trials(run.id):
            self._waves[raw.cell, raw.phase] += 1
            self._done[raw.cell] += raw.complete and raw.phase is Phase.MEASURE
        # An interrupted wave is sent again: with other prompts, or the server would answer from its cache.
        self._prompt_key = f"{run.id}/{self._waves.total()}"
        left = {cell: max(0, run.workload.trials - self._done[cell]) for cell in run.workload.cells}
        self._left = left
        self._tracker = Tracker(tools.progress, left, self._done.total(), run.workload.warmup)

    async def measure(self, cell: Cell) -> None:
        """Warm up and measure what is left of a cell; a wave in which nothing succeeds ends the cell."""
        if not self._left[cell]:
            return
        self._tools.watch.before(cell)
        outcome = await self._warm_up(cell)
        self._tools.store.set_warmup(self._run.id, cell, outcome)
        for _ in range(self._left[cell]):
            trial = await self._wave(cell, Phase.MEASURE)
            if not trial.completed:
                self._give_up(cell, trial)
                return

    async def _warm_up(self, cell: Cell) -> WarmupOutcome:
        points: list[WarmupPoint] = []
        started_ns = self._tools.monotonic_ns()
        while True:
            elapsed_s = seconds_between(started_ns, self._tools.monotonic_ns())
            step = next_step(self._run.workload.warmup, points, elapsed_s=elapsed_s)
            if not isinstance(step, Continue):
                return step
            trial = await self._wave(cell, Phase.WARMUP)
            points.append(point_of(trial))

    async def _wave(self, cell: Cell, phase: Phase) -> Trial:
        index = self._waves[cell, phase]
        prepared = await self._tools.preparation.wave(cell, key=self._prompt_key, phase=phase, index=index)
        if prepared.contexts:
            await self._record(cell, Phase.CONTEXT, prepared.contexts)
        return await self._record(cell, phase, prepared.requests, prepared.starts)

    async def _record(
        self, cell: Cell, phase: Phase, requests: tuple[PreparedRequest, ...], starts: tuple[Start, ...] = ()
    ) -> Trial:
        tools = self._tools
        index = self._waves[cell, phase]
        self._waves[cell, phase] += 1
        tools.spool.begin(self._run.id, cell, index, phase)
        self._tracker.began(cell, phase)
        raw = await record_wave(
            tools.wave,
            cell,
            phase,
            index,
            requests,
            starts,
            keep=tools.spool.append,
            look=lambda load: self._look(cell, phase, load),
            scraped=self._scraped,
        )
        tools.store.add_trial(self._run.id, raw)
        tools.spool.clear()
        if not raw.complete:
            raise asyncio.CancelledError
        trial = decode_trial(raw, tools.wave.engine, tools.wave.options)
        tools.watch.finished(trial, tools.monotonic_ns())
        self._tracker.finished(trial, sum(len(request.recording.data) for request in raw.requests))
        return trial

    def _look(self, cell: Cell, phase: Phase, load: LoadProgress) -> None:
        now_ns = self._tools.monotonic_ns()
        self._tracker.look(cell, phase, load, now_ns)
        self._tools.watch.look(load, now_ns)

    def _scraped(self, scrape: Scrape) -> None:
        running = running_now(self._tools.wave.engine, scrape)
        if running is not None:
            self._tools.watch.running(running, scrape.at_ns)

    def _give_up(self, cell: Cell, trial: Trial) -> None:
        failure = trial.requests[0].timeline.failure
        if failure is not None and failure.type is FailureType.CONNECT:
            message = f"no connection for {cell.label}: {failure.detail}"
            raise ConnectFailed(message)
        self._tools.progress.say(f"{cell.label}: no request succeeded, the rest of this cell is left out")
        self._tracker.skipped(cell)


def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()

"""From what was asked to a run that can start: ask the server who it is, choose the model, fit the prompts."""

__all__ = ["BenchOrder", "open_bench"]

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from sparktune.bench.corpus import Corpus
from sparktune.errors import UsageError
from sparktune.flows.bench.load_watch import LoadWatch, Unobserved
from sparktune.flows.bench.prepare import Preparation
from sparktune.flows.bench.progress import Progress
from sparktune.flows.bench.run import BenchTools
from sparktune.flows.bench.wave import WaveTools
from sparktune.host.cpulist import CpuSet
from sparktune.io.http.models import choose_model
from sparktune.io.http.server import Server
from sparktune.io.load.descriptors import reserve_descriptors
from sparktune.io.load.target import Limits
from sparktune.io.provenance import local_provenance
from sparktune.io.secrets import Secret
from sparktune.io.store.identity import new_run_id
from sparktune.io.store.store import Store
from sparktune.model.cell import Cell
from sparktune.model.engine import Engine, EngineFacts
from sparktune.model.run import Run
from sparktune.model.workload import Workload
from sparktune.units import Seconds

_SAME_FILE = {
    "prompts": "name the same file: --prompts FILE",
    "traffic": "name the same file, with the same --limit: --workload FILE.jsonl",
}
_TWO_THINGS = "start a new run; trials of both in one table would compare two things"


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOrder:
    """What to measure and where.

    A ``workload`` whose model is "" means the only model that the server serves. ``earlier`` is a run to go on with:
    then ``workload`` is that run's. ``argv`` is recorded, without secrets; ``entropy`` parts the ids of runs. ``watch``
    looks on while it is measured. ``cores`` are those that the client measures on, none named: all.
    """

    base_url: str
    workload: Workload
    corpus: Corpus
    secret: Secret | None = None
    wait_s: Seconds = 0.0
    earlier: Run | None = None
    argv: Sequence[str] = ()
    entropy: bytes = b"\0\0"
    watch: LoadWatch = field(default_factory=Unobserved)
    cores: CpuSet = frozenset()


@asynccontextmanager
async def open_bench(order: BenchOrder, store: Store, progress: Progress) -> AsyncIterator[tuple[BenchTools, Run]]:
    """Yield what ``run_bench`` needs; the run is in the store then, and nothing has been measured yet.

    Raises an EndpointError when the server cannot be measured, UsageError when a cell cannot be sent, its streams
    cannot be opened, or an earlier run does not fit.
    """
    reserve_descriptors(max(_streams_at_once(cell) for cell in order.workload.cells))
    async with Server(order.base_url, order.secret) as server:
        progress.say(f"asking {server.base_url}")
        engine, facts = await server.wait_ready(limit_s=order.wait_s)
        run = _earlier(order, facts) or _new(order, server, facts)
        options = run.workload.options
        preparation = Preparation(
            server, engine, options, order.corpus, seed=run.workload.seed, max_model_len=facts.max_model_len
        )
        progress.say(f"{options.model} on {facts.name} {facts.version or '(version unknown)'}; fitting prompts")
        await preparation.check(run.workload.cells)
        if order.earlier is None:
            store.create_run(run)
        with store.spool() as spool:
            yield (
                BenchTools(
                    wave=_wave_tools(order, run, server, engine),
                    preparation=preparation,
                    store=store,
                    spool=spool,
                    progress=progress,
                    monotonic_ns=time.monotonic_ns,
                    watch=order.watch,
                ),
                run,
            )


def _streams_at_once(cell: Cell) -> int:
    """Return how many connections may be open: of a replay, whose answers may all be slow, all of them."""
    return cell.streams if cell.replay else cell.concurrency


def _new(order: BenchOrder, server: Server, facts: EngineFacts) -> Run:
    now_wall_s = time.time()
    options = order.workload.options
    model = choose_model(facts, options.model or None)
    return Run(
        id=new_run_id(now_wall_s, order.entropy),
        created_wall_s=now_wall_s,
        base_url=server.base_url,
        workload=replace(order.workload, corpus=order.corpus.name, options=replace(options, model=model)),
        engine=facts,
        provenance=local_provenance(order.argv),
    )


def _wave_tools(order: BenchOrder, run: Run, server: Server, engine: Engine) -> WaveTools:
    return WaveTools(
        server=server,
        limits=Limits(stall_s=run.workload.stall_s, timeout_s=run.workload.timeout_s),
        engine=engine,
        options=run.workload.options,
        cores=order.cores,
    )


def _earlier(order: BenchOrder, facts: EngineFacts) -> Run | None:
    """Return the run to go on with, if it is one that the same server and text can finish."""
    run = order.earlier
    if run is None:
        return None
    choose_model(facts, run.workload.options.model)
    for what, then, now in (
        ("engine", run.engine.name, facts.name),
        ("engine version", run.engine.version, facts.version),
        ("corpus", run.workload.corpus, order.corpus.name),
    ):
        if then != now:
            message = f"run {run.id} cannot go on: its {what} was {then}, now it is {now}"
            own = (then or "").partition(":")[0]
            hint = _SAME_FILE.get(own, _TWO_THINGS)
            raise UsageError(message, hint=hint)
    return run

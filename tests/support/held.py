"""An experiment without a world: a hold that only remembers, and visits whose values are made up."""

import asyncio
import random
import weakref
from collections.abc import Callable, Container, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support.experiments import CELLS, experiment, run_result

from sparktune.bench.corpus import Corpus
from sparktune.deploy.arm_planner import ArmPlanner
from sparktune.errors import SparktuneError
from sparktune.experiment.design import Arm, Block
from sparktune.experiment.plan import Experiment
from sparktune.flows.ab.gate import Sensors, Started
from sparktune.flows.ab.guard import WatchOpener, no_watch
from sparktune.flows.ab.measure import Measured
from sparktune.flows.ab.tools import AbTools
from sparktune.flows.bench.load_watch import LoadWatch
from sparktune.flows.bench.progress import SilentProgress
from sparktune.io.launching.reading import LiveReading
from sparktune.io.store.store import Store
from sparktune.model.arm_action import Action
from sparktune.model.launcher import ArmPlan

PLAN = experiment(cells=CELLS[:1])


class NoGate:
    """Machines of which nothing can be read: it never waits."""

    async def wait(self) -> Started:
        """Return at once."""
        return Started()

    async def read(self) -> Sensors:
        """Return nothing."""
        return {}


class FakeHold:
    """Says that every arm is live; ``did`` is what was asked of it, in order."""

    def __init__(self) -> None:
        self.did: list[str] = []
        self.arm = ""
        self.refused: frozenset[str] = frozenset()
        self.changes_on_read = 0  # the reading at which the setting is another one
        self.silent_on_reads: Container[int] = ()  # the readings that nothing answers
        self.gone = ""
        self.fails: dict[str, SparktuneError] = {}
        self.notes: tuple[str, ...] = ()
        self._reads = 0

    def bring_back_anyway(self) -> None:
        """Remember it."""
        self._did("anyway")

    def state(self) -> Mapping[str, Any]:
        """Return what is held."""
        return {"arm": self.arm}

    async def set_arm(self, arm: str, plan: ArmPlan) -> None:
        """Remember it."""
        del plan
        self._did(f"set {arm}")
        self.arm = arm

    async def after_boot(self, plan: ArmPlan) -> None:
        """Remember it."""
        del plan
        self._did("after boot")

    async def read_live(self, plan: ArmPlan) -> LiveReading:
        """Say what is set, unless told otherwise."""
        del plan
        self._reads += 1
        if self._reads in self.silent_on_reads:
            return LiveReading(ok=False, values={}, wanted={"arm": self.arm}, why="it does not answer")
        ok = self.arm not in self.refused
        value = "another" if self._reads == self.changes_on_read else self.arm
        return LiveReading(ok=ok, values={"arm": value}, wanted={"arm": self.arm}, why="" if ok else "it is not")

    def ended(self) -> str:
        """Return how the server ended, as the test says."""
        return self.gone

    async def release(self) -> None:
        """Remember it."""
        self._did("release")
        self.arm = ""

    async def kill(self) -> None:
        """Remember it."""
        self._did("kill")

    async def perform(self, actions: Sequence[Action]) -> None:
        """Remember how many actions there were."""
        self._did(f"perform {len(actions)}")

    def _did(self, what: str) -> None:
        self.did.append(what)
        if what in self.fails:
            raise self.fails.pop(what)


class FakeMeasure:
    """Stands for ``measure_visit``: B has ``ratio`` times A's rate, with noise of a deviation; ``error`` comes once.

    ``uncounted`` arms tell no rate.
    """

    def __init__(self, ratio: float, noise: float = 0.0) -> None:
        self.ratio = ratio
        self.error: BaseException | None = None
        self.uncounted: frozenset[str] = frozenset()
        self.visits = 0
        self.hangs = False
        self._noise = noise
        self._draw = random.Random(5)

    async def __call__(
        self,
        tools: AbTools,
        plan: Experiment,
        block: Block,
        *,
        owed: Mapping[str, int],
        earlier: Sequence[object],
        began: Callable[[Any], None],
        watch: LoadWatch,
    ) -> Measured:
        """Return a made-up result, raise the error that waits, or wait for ever when told so."""
        del plan, block, owed, earlier, watch
        if self.hangs:
            await asyncio.Event().wait()
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        self.visits += 1
        assert isinstance(tools.hold, FakeHold)
        rate = (
            100.0 * (self.ratio if tools.hold.arm == Arm.B.value else 1.0) * self._draw.lognormvariate(0, self._noise)
        )
        told = (None,) * 3 if tools.hold.arm in self.uncounted else (rate, rate * 1.001, rate * 0.999)
        values = {CELLS[0]: {"output_tok_s": told, "e2e_s": (1.0, 1.0, 1.0)}}
        result = run_result(values, f"r{self.visits}")
        began(result.run)
        return Measured(result=result, owed={})


def fake_tools(
    folder: Path,
    hold: FakeHold,
    *,
    accept: bool = False,
    go_on: bool = True,
    plan: Experiment = PLAN,
    watch: WatchOpener = no_watch,
) -> AbTools:
    """Return tools with a real store that has the plan, and nothing else that is real."""
    store = Store.open(folder / "runs.sqlite3")
    # Closed with its last user, who has tools and no store: from Python 3.13 on a connection that is left is a warning.
    weakref.finalize(store, store._connection.close)
    store.create_experiment(plan)

    async def answer(_: str) -> bool:
        return go_on

    async def no_wait(_: float) -> None:
        return None

    clock = iter(range(10**6))
    return AbTools(
        store=store,
        hold=hold,
        planner=ArmPlanner(launcher=plan.launcher, spec=plan.spec),
        gate=NoGate(),
        progress=SilentProgress(),
        corpus=Corpus(name="none", text="words"),
        secret=None,
        argv=(),
        entropy=lambda count: b"\0" * count,
        wall_s=lambda: 1e9 + next(clock),
        sleep=no_wait,
        go_on=answer,
        accept=accept,
        watch=watch,
    )

"""What guards are told of a visit's load, and the gate before each heavier cell of the block that goes upwards."""

__all__ = ["VisitLoad"]

import time
from collections import Counter
from collections.abc import Callable

from sparktune.bench.evaluate import failure_words
from sparktune.experiment.steps_up import Step, refusal, weight_of
from sparktune.flows.ab.guard import Tripped, Watching
from sparktune.io.load.client import Progress as LoadProgress
from sparktune.model.cell import Cell
from sparktune.model.guard import Limits, LoadTick, Phase, Trip
from sparktune.model.trial import Trial
from sparktune.units import Bytes, Nanoseconds, Seconds, Tokens

_HINT = "leave this cell out, or give the engine less memory; what was measured before it is kept"


class VisitLoad:
    """Looks on at one visit. ``gated``: its cells go upwards, and each is refused for which memory would not do.

    ``phase`` is told what is done: until the first wave of a cell that is heavier than all before it has ended, that is
    a first prefill.
    """

    def __init__(self, watch: Watching, limits: Limits, phase: Callable[[Phase], None], *, gated: bool) -> None:
        """Have seen nothing yet."""
        self._watch, self._limits, self._phase, self._gated = watch, limits, phase, gated
        self._requests = 0
        self._failed: Counter[str] = Counter()
        self._heaviest: Tokens = 0
        self._weight: Tokens = 0
        self._steps: dict[str, list[Step]] = {}
        self._seen_ns: Nanoseconds = 0
        self._streams = 0
        self._unanswered_s: Seconds | None = None

    def before(self, cell: Cell) -> None:
        """Take notice of the next cell. Raises Tripped when there is no memory for it."""
        weight = weight_of(cell)
        if self._gated:
            self._gate(cell, weight)
        if weight > self._heaviest:
            self._heaviest = weight
            self._phase(Phase.FIRST_PREFILL)
        self._weight = weight
        self._streams = cell.concurrency

    def look(self, load: LoadProgress, at_ns: Nanoseconds) -> None:
        """Hand on the state of the running wave."""
        self._tell(at_ns, requests=self._requests + load.finished + load.open_streams, in_flight=load.open_streams)

    def running(self, requests: int, at_ns: Nanoseconds) -> None:
        """Hand on what the server counts, beside the most that may be ours: both are not of one instant."""
        self._tell(at_ns, requests=self._requests, in_flight=self._streams, server_running=requests)

    def heard(self, tick: LoadTick) -> None:
        """Hand on for how long the endpoint has not answered a plain question."""
        self._unanswered_s = tick.unanswered_s
        self._tell(tick.monotonic_ns, requests=self._requests)

    def finished(self, trial: Trial, at_ns: Nanoseconds) -> None:
        """Count a wave; only now is it known which of its requests failed."""
        self._requests += len(trial.requests)
        self._failed.update(failure_words(failed) for one in trial.requests if (failed := one.timeline.failure))
        self._tell(at_ns, requests=self._requests)
        self._phase(Phase.LOAD)

    def _tell(
        self, at_ns: Nanoseconds, *, requests: int, in_flight: int = 0, server_running: int | None = None
    ) -> None:
        tick = LoadTick(
            monotonic_ns=at_ns,
            requests=requests,
            failed=self._failed.total(),
            failed_how=_mostly(self._failed),
            in_flight=in_flight,
            server_running=server_running,
            unanswered_s=self._unanswered_s,
        )
        self._watch.load(tick)

    def _gate(self, cell: Cell, weight: Tokens) -> None:
        since_ns, self._seen_ns = self._seen_ns, time.monotonic_ns()
        for node in self._watch.nodes:
            lowest = self._lowest(node, since_ns)
            if lowest is None:
                continue
            steps = self._steps.setdefault(node, [])
            steps.append(Step(weight=self._weight, lowest=lowest))
            why = refusal(node, steps, weight, self._limits)
            if why:
                evidence = f"{cell.label} was not begun: {why}"
                trip = Trip(guard="steps-up", node=node, evidence=evidence, hint=_HINT, monotonic_ns=self._seen_ns)
                raise Tripped(trip, during=Phase.LOAD)

    def _lowest(self, node: str, since_ns: Nanoseconds) -> Bytes | None:
        """Return the least memory since the step before; before any load the newest."""
        known = [tick for tick in self._watch.curve(node) if tick.available is not None]
        if not known:
            return None
        # A node has its own clock: the length of the step counts back from its newest tick.
        length_ns = self._seen_ns - since_ns if since_ns else 0
        recent = [tick for tick in known if known[-1].monotonic_ns - tick.monotonic_ns <= length_ns]
        return min(tick.available for tick in recent if tick.available is not None)


def _mostly(failed: Counter[str]) -> str:
    """Return how requests failed, the most frequent words where there are several."""
    words = next((words for words, _ in failed.most_common(1)), "")
    return f"mostly {words}" if len(failed) > 1 else words

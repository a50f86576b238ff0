"""Keeps count of a run's waves, for the progress line: what is done, what is left, how fast tokens come."""

__all__ = ["Tracker"]

from collections import Counter
from collections.abc import Mapping
from statistics import median_high

from sparktune.bench.eta import WaveCost, remaining
from sparktune.flows.bench.progress import Progress, WaveView
from sparktune.io.load.client import Progress as LoadProgress
from sparktune.model.cell import Cell
from sparktune.model.trial import Phase, Trial
from sparktune.model.warmup import WarmupPlan
from sparktune.units import Bytes, Nanoseconds, Ratio, Seconds, TokensPerSecond, seconds_between

_USUAL_WARMUPS = 3  # as many waves as have to agree


class Tracker:
    """``left`` are the measured waves to come, by cell; warm-ups and contexts are in the time, not in the count."""

    def __init__(self, progress: Progress, left: Mapping[Cell, int], done: int, warmup: WarmupPlan) -> None:
        """Start with ``done`` measured waves that an earlier attempt has finished."""
        self._progress = progress
        self._left = Counter(left)
        self._done = done
        self._total = done + sum(left.values())
        self._plan = warmup
        self._warmups: Counter[Cell] = Counter()
        self._warm: set[Cell] = set()
        self._costs: list[WaveCost] = []
        self._tokens_per_byte: Ratio | None = None
        self._last: tuple[Nanoseconds, Bytes] = (0, 0)

    def began(self, cell: Cell, phase: Phase) -> None:
        """Take notice of a wave: its bytes are counted from 0, and measuring ends the warm-up of its cell."""
        self._last = (0, 0)
        if phase is Phase.MEASURE:
            self._warm.add(cell)

    def look(self, cell: Cell, phase: Phase, load: LoadProgress, at_ns: Nanoseconds) -> None:
        """Tell the listener about the running wave."""
        rate = self._rate(load.bytes_received, at_ns)
        self._last = (at_ns, load.bytes_received)
        self._progress.wave(
            WaveView(
                cell=cell,
                phase=phase,
                waves_done=self._done,
                waves_total=self._total,
                open_streams=load.open_streams,
                tok_s=None if phase is Phase.CONTEXT else rate,
                left_s=self._time_left(),
            )
        )

    def finished(self, trial: Trial, received_bytes: Bytes) -> None:
        """Learn from a wave that has ended."""
        cost = _cost(trial)
        if cost is not None:
            self._costs.append(cost)
        tokens = sum(request.timeline.usage.completion_tokens or 0 for request in trial.completed)
        if tokens and received_bytes and trial.phase is not Phase.CONTEXT:
            self._tokens_per_byte = tokens / received_bytes
        if trial.phase is Phase.WARMUP:
            self._warmups[trial.cell] += 1
        if trial.phase is Phase.MEASURE:
            self._done += 1
            self._left[trial.cell] -= 1

    def skipped(self, cell: Cell) -> None:
        """Forget what is left of a cell that will not be measured."""
        self._total -= self._left.pop(cell, 0)

    def _rate(self, received: Bytes, at_ns: Nanoseconds) -> TokensPerSecond | None:
        """Return tokens per second since the last look, once output has been seen to flow."""
        last_ns, last_bytes = self._last
        if not last_bytes or self._tokens_per_byte is None or received <= last_bytes:
            return None
        return (received - last_bytes) * self._tokens_per_byte / seconds_between(last_ns, at_ns)

    def _time_left(self) -> Seconds | None:
        usual = self._usual_warmups()
        waves = {
            cell: left + (0 if cell in self._warm else max(0, usual - self._warmups[cell]))
            for cell, left in self._left.items()
            if left
        }
        return remaining(waves, self._costs)

    def _usual_warmups(self) -> int:
        """Return how many warm-up waves a cell takes: as asked for, or as the cells before it did."""
        if self._plan.waves is not None:
            return self._plan.waves
        taken = [waves for cell, waves in self._warmups.items() if cell in self._warm]
        return median_high(taken) if taken else _USUAL_WARMUPS


def _cost(trial: Trial) -> WaveCost | None:
    sent = [request.send_start_ns for request in trial.completed]
    first = [request.timeline.first_ns for request in trial.completed if request.timeline.first_ns is not None]
    if not sent or not first:
        return None
    end = max(request.end_ns for request in trial.completed)
    return WaveCost(
        cell=trial.cell,
        prefill_s=seconds_between(min(sent), max(first)),
        decode_s=seconds_between(max(first), end),
        context=trial.phase is Phase.CONTEXT,
    )

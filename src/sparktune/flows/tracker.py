"""Keeps count of a run's waves, for the progress line: what is done, what is left, how fast tokens come."""

__all__ = ["Tracker"]

from collections import Counter
from collections.abc import Mapping

from sparktune.bench.eta import WaveCost, remaining
from sparktune.flows.progress import Progress, WaveView
from sparktune.io.load.client import Progress as LoadProgress
from sparktune.model.cell import Cell
from sparktune.model.trial import Phase, Trial
from sparktune.units import Ratio, seconds_between


class Tracker:
    """``left`` are the measured waves to come, by cell; warm-ups come on top when they start."""

    def __init__(self, progress: Progress, left: Mapping[Cell, int], done: int) -> None:
        """Start with ``done`` measured waves that an earlier attempt has finished."""
        self._progress = progress
        self._left = Counter(left)
        self._done = done
        self._total = done + sum(left.values())
        self._costs: list[WaveCost] = []
        self._tokens_per_byte: Ratio | None = None
        self._last = (0, 0)

    def look(self, cell: Cell, phase: Phase, load: LoadProgress, at_ns: int) -> None:
        """Tell the listener about a running wave; ``at_ns`` is monotonic."""
        last_ns, last_bytes = self._last
        self._last = (at_ns, load.bytes_received)
        elapsed = seconds_between(last_ns, at_ns)
        grown = load.bytes_received - last_bytes
        known = self._tokens_per_byte is not None and grown > 0 and elapsed > 0
        self._progress.wave(
            WaveView(
                cell=cell,
                phase=phase,
                waves_done=self._done,
                waves_total=self._total,
                open_streams=load.open_streams,
                tok_s=grown * (self._tokens_per_byte or 0.0) / elapsed if known else None,
                left_s=remaining(self._left, self._costs),
            )
        )

    def finished(self, trial: Trial, received_bytes: int) -> None:
        """Learn from a wave that has ended."""
        cost = _cost(trial)
        if cost is not None:
            self._costs.append(cost)
        tokens = sum(request.timeline.usage.completion_tokens or 0 for request in trial.completed)
        if tokens and received_bytes:
            self._tokens_per_byte = tokens / received_bytes
        if trial.phase is Phase.MEASURE:
            self._done += 1
            self._left[trial.cell] -= 1

    def skipped(self, cell: Cell) -> None:
        """Forget what is left of a cell that will not be measured."""
        self._total -= self._left.pop(cell, 0)


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
    )

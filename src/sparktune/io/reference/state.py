"""What the reference server holds between requests: knobs, counters, prompts seen, answers in flight, the log."""

__all__ = ["State"]

from collections import deque
from collections.abc import Callable
from time import monotonic_ns, time

from sparktune.io.reference.knobs import Knobs
from sparktune.io.reference.plan import Fault
from sparktune.io.reference.prompts import PrefixCache, Vocabulary
from sparktune.io.reference.stream import Stream
from sparktune.io.reference.tally import Tally, exposition
from sparktune.io.reference.truth import TruthRecord

_REASONS = {
    Fault.NONE: "",
    Fault.ERRCHUNK: "error",
    Fault.FAIL: "error",
}


class State:
    """``schedule`` hands a stream to the event loop, which will step it when it is due."""

    def __init__(self, knobs: Knobs, schedule: Callable[[Stream], None]) -> None:
        """Start with these knobs; ``reset`` comes back to them."""
        self.knobs = knobs
        self.vocabulary = Vocabulary()
        self.cache = PrefixCache()
        self.tally = Tally(started_wall_s=time())
        self.number = 0
        self._first_knobs = knobs
        self._schedule = schedule
        self._log: list[TruthRecord] = []
        self._running: set[Stream] = set()
        self._waiting: deque[tuple[Stream, int]] = deque()

    @property
    def inflight(self) -> int:
        """Answers that run or wait for a slot."""
        return len(self._running) + len(self._waiting)

    def configure(self, knobs: Knobs) -> None:
        """Use other knobs from the next request on; the count for the n-th-request faults starts anew."""
        self.knobs = knobs
        self.number = 0

    def reset(self) -> None:
        """Come back to the knobs of the start and forget log, counters and prompts; running answers go on."""
        self.configure(self._first_knobs)
        self.cache.clear()
        self.tally = Tally(started_wall_s=time())
        self._log.clear()

    def begin(self, stream: Stream, *, ahead: int) -> None:
        """Start an answer now, or when a slot is free."""
        slots = stream.writer.knobs.slots
        if slots and len(self._running) >= slots:
            self._waiting.append((stream, ahead))
            return
        self._start(stream, stream.entry.arrival.origin_ns, ahead)

    def ended(self, stream: Stream) -> None:
        """Log and count an answer that has ended, and give its slot on."""
        record = stream.entry.record(monotonic_ns())
        self.log(record)
        reason = _REASONS.get(record.fault, "abort") or stream.writer.plan.finish_reason
        self.tally.ended(stream.writer.knobs, reason, record.tokens)
        self._running.discard(stream)
        while self._waiting and len(self._running) < self._waiting[0][0].writer.knobs.slots:
            waiting, ahead = self._waiting.popleft()
            if not waiting.ended:
                self._start(waiting, monotonic_ns(), ahead)

    def log(self, record: TruthRecord) -> None:
        """Keep the record until it is drained."""
        self._log.append(record)

    def drain(self) -> tuple[TruthRecord, ...]:
        """Return and forget the records of requests that have ended."""
        records = tuple(self._log)
        self._log.clear()
        return records

    def metrics(self) -> bytes:
        """Return the metrics as vLLM would show them."""
        held = sum(stream.entry.arrival.prompt_tokens + stream.written for stream in self._running)
        waiting = sum(not stream.ended for stream, _ in self._waiting)
        return exposition(self.tally, self.knobs, running=len(self._running), waiting=waiting, kv_tokens=held)

    def _start(self, stream: Stream, start_ns: int, ahead: int) -> None:
        self._running.add(stream)
        stream.open(start_ns, ahead=ahead)
        self._schedule(stream)

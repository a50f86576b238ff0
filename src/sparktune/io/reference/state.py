"""What the reference server holds between requests: knobs, counters, prompts seen, answers in flight, the log."""

__all__ = ["Alarm", "State", "Timed"]

from collections import deque
from collections.abc import Callable
from time import monotonic_ns, time
from typing import Protocol

from sparktune.io.reference.knobs import Knobs
from sparktune.io.reference.plan import Fault
from sparktune.io.reference.prefill import Prefills, Prompt
from sparktune.io.reference.prompts import PrefixCache, Vocabulary
from sparktune.io.reference.stream import Stream
from sparktune.io.reference.tally import Tally, exposition
from sparktune.io.reference.truth import TruthRecord
from sparktune.units import Nanoseconds

_REASONS = {
    Fault.NONE: "",
    Fault.ERRCHUNK: "error",
    Fault.FAIL: "error",
}


class Timed(Protocol):
    """What the event loop steps when it is due; it is due again when ``step`` says so, at its new ``due_ns``."""

    due_ns: Nanoseconds
    ended: bool

    def step(self) -> bool:
        """Do what is due."""
        ...


class Alarm:
    """Something to be done once, at an instant."""

    def __init__(self, due_ns: Nanoseconds, act: Callable[[], None]) -> None:
        """Wait for the instant."""
        self.due_ns = due_ns
        self.ended = False
        self._act = act

    def step(self) -> bool:
        """Do it."""
        self._act()
        return False


class State:
    """``schedule`` hands a stream, or an alarm, to the event loop, which will step it when it is due."""

    def __init__(self, knobs: Knobs, schedule: Callable[[Timed], None]) -> None:
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
        self._prefills = Prefills()
        self._prompts: dict[Stream, Prompt] = {}
        self._alarm: Alarm | None = None

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
        if (prompt := self._prompts.pop(stream, None)) is not None:
            self._prefills.remove(prompt, monotonic_ns())
            self._await_prefill()
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
        knobs = stream.writer.knobs
        if not knobs.prefills:
            self._open(stream, start_ns, ahead)
            return

        def computed(at_ns: Nanoseconds) -> None:
            del self._prompts[stream]
            self._open(stream, at_ns, ahead, computed=True)

        self._prompts[stream] = prompt = Prompt(stream.uncached, computed)
        self._prefills.add(prompt, start_ns, limit=knobs.prefills, rate=knobs.pp_tps)
        self._await_prefill()

    def _open(self, stream: Stream, start_ns: Nanoseconds, ahead: int, *, computed: bool = False) -> None:
        stream.open(start_ns, ahead=ahead, computed=computed)
        self._schedule(stream)

    def _await_prefill(self) -> None:
        """Set the one alarm anew: another prompt, or one less, has moved the instant."""
        if self._alarm is not None:
            self._alarm.ended = True
            self._alarm = None
        if (due_ns := self._prefills.due_ns) is not None:
            self._alarm = Alarm(due_ns, self._advance_prefills)
            self._schedule(self._alarm)

    def _advance_prefills(self) -> None:
        self._prefills.advance(monotonic_ns())
        self._await_prefill()

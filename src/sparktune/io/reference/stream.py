"""One answer while it is written: every chunk at its due instant, every write with the instants around it."""

__all__ = ["Stream"]

from collections.abc import Callable, Iterator
from itertools import islice
from time import monotonic_ns

from sparktune.io.reference.frames import FrameWriter
from sparktune.io.reference.knobs import Role
from sparktune.io.reference.link import Link
from sparktune.io.reference.plan import Fault, first_due_ns
from sparktune.io.reference.truth import Entry
from sparktune.io.reference.wire import json_answer, openai_error, stream_head
from sparktune.units import Nanoseconds, Tokens

_NO_BREAK = 1 << 62


class Stream:
    """Writes one answer step by step; ``due_ns`` is when the next step is due.

    ``on_end`` is called once, with this stream, when nothing more will be written.
    """

    def __init__(self, *, link: Link, writer: FrameWriter, entry: Entry, on_end: Callable[["Stream"], None]) -> None:
        """Prepare the answer; nothing is written yet."""
        self.link = link
        self.writer = writer
        self.entry = entry
        self.due_ns = 0
        self.ended = False
        self.written: Tokens = 0
        self._on_end = on_end
        self._knobs = writer.knobs
        self._streaming = entry.arrival.stream
        self._chunks: Iterator[tuple[bytes, Tokens]] = writer.chunks() if self._streaming else self._whole()
        self._count = len(writer.plan.sizes) if self._streaming else 1
        self._step_ns = writer.knobs.itl_ns
        self._index = 0
        break_at = writer.plan.break_at if self._streaming else 0
        self._break_at = _NO_BREAK if writer.plan.fault is Fault.NONE else break_at
        self._lead = b""
        link.busy = self

    @property
    def uncached(self) -> Tokens:
        """Tokens of the prompt that have to be computed."""
        return self.entry.arrival.prompt_tokens - self.entry.arrival.cached_tokens

    def open(self, start_ns: Nanoseconds, *, ahead: int, computed: bool = False) -> None:
        """Write what comes at once and set the due instant of the first chunk; ``computed``: its prompt is."""
        knobs = self._knobs
        uncached = 0 if computed else self.uncached
        self.due_ns = first_due_ns(start_ns, knobs, uncached=uncached, ahead=ahead)
        self.entry.start_ns = start_ns
        if not self._streaming:
            self.due_ns += (len(self.writer.plan.sizes) - 1) * self._step_ns
        self.entry.due_ns = self.due_ns
        if not self._streaming:
            return
        head = stream_head(keep_alive=self.link.keep_alive)
        if knobs.headers_early or knobs.role is Role.EARLY:
            self.link.send(head)
        else:
            self._lead = head
        if knobs.role is Role.EARLY:
            self._write_role()

    def step(self) -> bool:
        """Write what is due; False when nothing more will come."""
        if self._index >= self._break_at:
            self._strike()
            return False
        if self._index == 0:
            self._write_lead()
        data, sizes = self._next_write()
        link = self.link
        before_ns = monotonic_ns()
        whole = link.send(data)
        after_ns = monotonic_ns()
        entry = self.entry
        entry.wrote(before_ns, after_ns, sizes, whole=whole)
        entry.late_max_ns = max(entry.late_max_ns, before_ns - self.due_ns)
        self.written += sum(sizes)
        self._index += len(sizes)
        if self._index < self._count:
            self.due_ns += self._step_ns * len(sizes)
            return True
        if self._streaming:
            link.send(self.writer.tail())
        self.end()
        return False

    def unblocked(self, at_ns: Nanoseconds) -> None:
        """Note when chunks that had to wait for the socket were written."""
        self.entry.unblocked(at_ns)

    def abandon(self) -> None:
        """End because the client has left; a fault on purpose stays what it was."""
        self.end(Fault.CLIENT_LEFT if self.entry.fault is Fault.NONE else None)

    def end(self, fault: Fault | None = None) -> None:
        """End the answer, for the given reason where it is not the planned one."""
        if self.ended:
            return
        self.ended = True
        if fault is not None:
            self.entry.fault = fault
        self._on_end(self)
        self.link.finish()

    def _whole(self) -> Iterator[tuple[bytes, Tokens]]:
        yield json_answer(200, self.writer.whole(), keep_alive=self.link.keep_alive), self.writer.plan.tokens

    def _next_write(self) -> tuple[bytes, tuple[Tokens, ...]]:
        if self._knobs.coalesce == 1:
            data, size = next(self._chunks)
            return data, (size,)
        pairs = tuple(islice(self._chunks, self._knobs.coalesce))
        return b"".join(data for data, _ in pairs), tuple(size for _, size in pairs)

    def _write_lead(self) -> None:
        if self._lead:
            self.link.send(self._lead)
        if self._streaming and self._knobs.role is Role.FIRST:
            self._write_role()

    def _write_role(self) -> None:
        data = self.writer.role()
        if not data:
            return
        before_ns = monotonic_ns()
        self.link.send(data)
        self.entry.role_ns = (before_ns, monotonic_ns())

    def _strike(self) -> None:
        link = self.link
        fault = self.entry.fault
        if self._index == 0 and self._streaming:
            self._write_lead()
        if fault is Fault.STALL:
            return  # it stays open and silent until the client leaves
        if fault is Fault.ERRCHUNK:
            whole = json_answer(
                500, openai_error(500, "Internal server error", "InternalServerError"), keep_alive=False
            )
            link.send(self.writer.error() if self._streaming else whole)
        elif fault is Fault.CUT:
            data, _ = self._next_write()
            link.send(data[: len(data) // 2])
            link.keep_alive = False
        elif fault is Fault.ABORT:
            link.close(reset=True)
        self.end()

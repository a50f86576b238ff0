"""Read the progress file of llama-benchy, one JSON object per line and event, as waves.

Source: llama-benchy 0.4.0, ``llama-benchy-progress.v1``: ``request_start`` (shape, ``run_index`` from 1),
``request_first_token`` (``ttft_s``), ``request_end`` (``total_tokens``, ``prompt_tokens``, ``decode_seconds``,
``error``), ``bench_complete``; ``ts`` is wall time. A run with a context sends it first: those requests have the same
shape and run index, and are the first ``concurrency`` of them.
"""

__all__ = ["READER"]

from dataclasses import dataclass

import msgspec

from sparktune.bench.imports._shared import Reader, SourceFile, compact, middle, text_of
from sparktune.errors import UsageError
from sparktune.model.table import Row, Table

_SCHEMA = "llama-benchy-progress.v1"
_HINT = "a progress file of llama-benchy has one JSON object per line, each with schema and type"


class _Event(msgspec.Struct, frozen=True, kw_only=True):
    type: str
    schema: str = ""
    ts: float = 0.0
    request_id: int = -1
    prompt_size: int = 0
    response_size: int = 0
    context_size: int = 0
    concurrency: int = 1
    run_index: int = 1
    model: str = ""
    llama_benchy_version: str = ""
    ttft_s: float | None = None
    total_tokens: int | None = None
    prompt_tokens: int | None = None
    decode_seconds: float | None = None
    error: str | None = None


@dataclass(slots=True)
class _Request:
    start: _Event
    first: _Event | None = None
    end: _Event | None = None

    @property
    def failed(self) -> bool:
        return self.end is None or bool(self.end.error) or self.first is None

    @property
    def decode_tok_s(self) -> float | None:
        if self.failed or self.end is None or not self.end.total_tokens or not self.end.decode_seconds:
            return None
        return (self.end.total_tokens - 1) / self.end.decode_seconds


def _table(file: SourceFile) -> Table:
    events, cut = _events(file)
    requests: dict[int, _Request] = {}
    for event in events:
        known = requests.get(event.request_id)
        if event.type == "request_start":
            requests[event.request_id] = _Request(start=event)
        elif known and event.type == "request_first_token":
            known.first = event
        elif known and event.type == "request_end":
            known.end = event
    waves = _waves(list(requests.values()))
    complete = any(event.type == "bench_complete" for event in events)
    notes = [] if complete else ["the benchmark did not end: its file has no bench_complete"]
    notes += [f"line {cut} is cut off and left aside"] if cut else []
    return Table(
        source=READER.id,
        name=file.name,
        rows=tuple(_row(wave, loads=loads) for loads, wave in waves),
        facts={
            "llama-benchy": next((event.llama_benchy_version for event in events if event.llama_benchy_version), ""),
            "model": next((event.model for event in events if event.model), ""),
        },
        notes=tuple(notes),
    )


def _events(file: SourceFile) -> tuple[list[_Event], int]:
    """Return the events, and the number of the last line where it is cut off (0: it is not)."""
    lines = [(place, line) for place, line in enumerate(text_of(file).splitlines(), 1) if line.strip()]
    events: list[_Event] = []
    for place, line in lines:
        try:
            event = msgspec.json.decode(line, type=_Event)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            if events and place == lines[-1][0]:  # what writes it was ended in the middle of a line
                return events, place
            message = f"{file.name}, line {place}: {error}"
            raise UsageError(message, hint=_HINT) from error
        if event.schema != _SCHEMA:
            message = f"{file.name}, line {place}: schema {event.schema[:40]!r}, not {_SCHEMA}"
            raise UsageError(message, hint=_HINT)
        if event.type != "tokens":
            events.append(event)
    return events, 0


def _waves(requests: list[_Request]) -> list[tuple[bool, list[_Request]]]:
    groups: dict[tuple[int, ...], list[_Request]] = {}
    for request in requests:
        start = request.start
        key = (start.context_size, start.prompt_size, start.response_size, start.concurrency, start.run_index)
        groups.setdefault(key, []).append(request)
    waves = []
    for found in groups.values():
        streams = max(1, found[0].start.concurrency)
        loading = streams if found[0].start.context_size and len(found) > streams else 0
        waves += [(True, found[:loading])] if loading else []
        waves += [(False, found[loading:])]
    return waves


def _row(wave: list[_Request], *, loads: bool) -> Row:
    start = wave[0].start
    good = [request for request in wave if not request.failed]
    waits = [request.first.ttft_s for request in good if request.first and request.first.ttft_s]
    ends = [request.end for request in good if request.end]
    values = {
        "ttft_s": middle(waits),
        "ttft_max_s": max(waits, default=None),
        "ttft_spread_s": max(waits) - min(waits) if len(waits) > 1 else None,
        "decode_tok_s": middle(request.decode_tok_s for request in good),
        "output_tok_s": _output_tok_s(wave, good),
        "prompt_tokens": middle(end.prompt_tokens for end in ends),
        "output_tokens": middle(end.total_tokens for end in ends),
        "requests": float(len(wave)),
        "failed_requests": float(len(wave) - len(good)),
    }
    return Row(
        prompt_tokens=start.context_size if loads else start.prompt_size,
        output_tokens=start.response_size,
        depth=0 if loads else start.context_size,
        concurrency=start.concurrency,
        trial=start.run_index,
        label="loads the context" if loads else "",
        values=compact(values),
    )


def _output_tok_s(wave: list[_Request], good: list[_Request]) -> float | None:
    tokens = sum(request.end.total_tokens or 0 for request in good if request.end)
    if not good or len(good) < len(wave) or not tokens:
        return None
    span = max(request.end.ts for request in good if request.end) - min(request.start.ts for request in good)
    return tokens / span if span > 0 else None


READER = Reader(
    id="llama-benchy-progress",
    title="llama-benchy's progress file (JSON lines)",
    recognises=lambda file: _SCHEMA.encode() in file.data[:2000],
    read=_table,
    order=10,
)

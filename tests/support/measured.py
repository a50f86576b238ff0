"""Runs in a store whose bytes decode: what ``sparktune bench`` would have left."""

from dataclasses import replace
from hashlib import sha256

from tests.support.recordings import HEAD, chunked, event, recording
from tests.support.stored import make_cell, make_request, make_run, make_trial

from sparktune.io.store import Store
from sparktune.model.cell import Cell
from sparktune.model.raw import RawRequest, RawTrial
from sparktune.model.recording import Recording
from sparktune.model.run import Run, RunState
from sparktune.model.trial import Phase
from sparktune.model.warmup import WarmupOutcome

MS = 1_000_000
_FIRST_MS = 200
_STEP_MS = 10


def stream(tokens: int, *, prompt_tokens: int = 512, start_ms: int = 1_000, first_ms: int = _FIRST_MS) -> Recording:
    """Make one token per chunk: the first after ``first_ms``, then one every 10 ms (100 tok/s)."""
    text = [{"choices": [{"index": 0, "delta": {"content": " x"}, "finish_reason": None}]}] * (tokens - 1)
    last = {"choices": [{"index": 0, "delta": {"content": " x"}, "finish_reason": "length"}]}
    usage = {"prompt_tokens": prompt_tokens, "completion_tokens": tokens, "total_tokens": prompt_tokens + tokens}
    events = [*text, last, {"choices": [], "usage": usage}, "[DONE]"]
    framed = chunked([event(data) for data in events])
    due_ms = [first_ms + _STEP_MS * min(place, tokens - 1) for place in range(len(framed))]
    reads = [((start_ms + at_ms) * MS, data) for at_ms, data in zip(due_ms, framed, strict=True)]
    reads[0] = (reads[0][0], HEAD + reads[0][1])
    return recording(reads, send_ns=start_ms * MS)


def wave(cell: Cell, index: int, *, phase: Phase = Phase.MEASURE, tokens: int | None = None) -> RawTrial:
    """Make a wave of the cell whose streams all take the same time."""
    name = f"{cell.label}{phase}{index}"
    requests = tuple(_request(cell, name, index, number, tokens) for number in range(cell.concurrency))
    return make_trial(index, cell=cell, phase=phase, requests=requests, started_wall_s=1_795_974_620.0 + index)


def _request(cell: Cell, wave_name: str, index: int, number: int, tokens: int | None) -> RawRequest:
    sent = stream(tokens or cell.output_tokens, prompt_tokens=cell.prompt_tokens, start_ms=10_000 * (index + 1))
    prompt_sha256 = sha256(f"{wave_name} {number}".encode()).hexdigest()
    asked = replace(make_request(number), prompt_sha256=prompt_sha256, prompt_tokens_asked=cell.prompt_tokens)
    return replace(asked, output_tokens_asked=cell.output_tokens, recording=sent)


def store_run(
    store: Store,
    run_id: str = "261129-175016-k3f",
    *,
    cells: tuple[Cell, ...] = (make_cell(), make_cell(concurrency=2)),
    trials: int = 3,
    created_wall_s: float = 1_795_974_616.0,
) -> Run:
    """Put a finished run into the store, of ``trials`` of the three waves that were asked for."""
    run = make_run(run_id, cells=cells, created_wall_s=created_wall_s)
    store.create_run(run)
    for cell in cells:
        store.add_trial(run.id, wave(cell, 0, phase=Phase.WARMUP))
        store.set_warmup(run.id, cell, WarmupOutcome(waves=1, steady=None))
        for index in range(trials):
            store.add_trial(run.id, wave(cell, index))
    store.set_state(run.id, RunState.DONE)
    return store.load_run(run.id)

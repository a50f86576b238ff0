"""The stored bytes and instants as JSON lines, for other tools: a line for the run, one per wave, one per request.

Instants are CLOCK_MONOTONIC nanoseconds of the measuring host. ``data`` is the answer as it came over the wire, HTTP
framing included, when it is UTF-8, else ``data_base64``; read i ended at byte ``read_ends[i]`` of it.
"""

__all__ = ["raw_lines"]

import base64
import json
from collections.abc import Iterable, Iterator

from sparktune.model.engine import JsonValue
from sparktune.model.raw import RawRequest, RawTrial, Scrape
from sparktune.model.run import Run
from sparktune.report.records import cell_record, plain_record

_SCHEMA = 1
_Record = dict[str, JsonValue]


def raw_lines(run: Run, trials: Iterable[RawTrial]) -> Iterator[str]:
    """Yield one JSON text per line, without its end; one wave is held at a time."""
    yield _line({"schema": _SCHEMA, "type": "run", **plain_record(run)})
    for raw in trials:
        place: _Record = {"cell": cell_record(raw.cell), "phase": raw.phase.value, "index": raw.index}
        yield _line({"type": "wave", **place, **_wave(raw)})
        for request in raw.requests:
            yield _line({"type": "request", **place, **_request(request)})


def _line(record: _Record) -> str:
    return json.dumps(record, allow_nan=False, separators=(",", ":"))


def _wave(raw: RawTrial) -> _Record:
    return {
        "started_wall_s": raw.started_wall_s,
        "complete": raw.complete,
        "health": {**plain_record(raw.health), "why": "null: not known with these stamps, or the process was killed"},
        "before": _scrape(raw.before),
        "after": _scrape(raw.after),
        "during": [_scrape(scrape) for scrape in raw.during],
        "why": "null: the server offers no metrics, or they could not be read",
    }


def _request(request: RawRequest) -> _Record:
    recording = request.recording
    return {
        "stream": request.stream,
        "prompt_sha256": request.prompt_sha256,
        "prompt_tokens_asked": request.prompt_tokens_asked,
        "output_tokens_asked": request.output_tokens_asked,
        "first_tokens": request.first_tokens,
        "planned_ns": recording.planned_ns,
        "why": "null: the first chunk's tokens were not counted after the wave; planned: with the wave's first sends",
        "connect_start_ns": recording.connect_start_ns,
        "connected_ns": recording.connected_ns,
        "send_start_ns": recording.send_start_ns,
        "send_end_ns": recording.send_end_ns,
        "end_ns": recording.end_ns,
        "end": recording.end.value,
        "stamp_source": recording.source.value,
        "detail": recording.detail,
        "read_ends": list(recording.read_ends),
        "arrival_ns": list(recording.arrival_ns),
        "woke_ns": list(recording.woke_ns),
        **_data("data", recording.data),
    }


def _scrape(scrape: Scrape | None) -> JsonValue:
    if scrape is None:
        return None
    return {"at_ns": scrape.at_ns, "headers": dict(scrape.headers), **_data("body", scrape.body)}


def _data(name: str, data: bytes) -> _Record:
    try:
        return {name: data.decode("utf-8")}
    except UnicodeDecodeError:
        return {f"{name}_base64": base64.b64encode(data).decode("ascii")}

"""What a recording came to, for a person and as JSON. Pure."""

__all__ = ["RecordReport", "record_json", "record_lines"]

import json
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from sparktune.bench.traffic.recorder import Tally
from sparktune.units import Seconds, count_of, format_count, format_duration, format_percent


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordReport:
    """The counts, and what went wrong: ``broken`` why recording ended early, ``cut_off`` connections at the end."""

    file: str
    endpoint: str
    tally: Tally
    took_s: Seconds
    connections: int
    cut_off: int = 0
    broken: str = ""


def record_lines(report: RecordReport) -> list[str]:
    """Return what a person reads at the end: what is in the file first, then what is not."""
    return list(_lines(report))


def record_json(report: RecordReport) -> str:
    """Return one JSON object, schema 1."""
    tally = msgspec.structs.asdict(report.tally)
    record = {
        "schema": 1,
        "file": report.file,
        "endpoint": report.endpoint,
        "took_s": report.took_s,
        "connections": report.connections,
        "cut_off": report.cut_off,
        "broken": report.broken or None,
        **tally,
    }
    return json.dumps(record) + "\n"


def _lines(report: RecordReport) -> Iterator[str]:
    tally = report.tally
    if not tally.requests:
        yield f"nothing was recorded in {format_duration(report.took_s)}: {_why_nothing(report)}"
    else:
        sessions = count_of(tally.sessions, "conversation")
        took = format_duration(report.took_s)
        yield f"{count_of(tally.requests, 'request')} of {sessions} in {took}: {report.file}"
        yield from _contents(tally)
    yield from _shortfalls(report)
    if tally.requests:
        yield f"replay it: sparktune bench {report.endpoint} --workload {report.file}"


def _why_nothing(report: RecordReport) -> str:
    if report.broken or report.tally.unwritten or report.tally.missed:
        return "see below"
    if not report.connections:
        return "no client connected"
    return f"{count_of(report.connections, 'connection')}, and no request on them that makes a model write"


def _contents(tally: Tally) -> Iterator[str]:
    count = tally.requests
    prompt, output = tally.input_tokens / count, tally.output_tokens / count
    told = "all lengths as the server told them"
    if tally.estimated:
        told = f"lengths of {format_count(tally.estimated)} of {format_count(count)} requests are estimated"
    yield f"  on average {prompt:,.0f} prompt and {output:,.0f} output tokens; {told}"
    if tally.estimated:
        yield '  (a server tells them to clients that stream with "stream_options": {"include_usage": true})'
    shared = format_percent(tally.shared_tokens / max(1, tally.input_tokens), digits=0)
    cached = "the server does not tell what it took from its cache"
    if tally.cached_of_tokens:
        cached = (
            f"the server took {format_percent(tally.cached_tokens / tally.cached_of_tokens, digits=0)} from its cache"
        )
    yield f"  {shared} of the prompt tokens repeat the beginning of an earlier prompt; {cached}"
    if tally.failed:
        yield f"  {count_of(tally.failed, 'request')} failed (status 400 or more): a replay leaves them out"
    if tally.cut_short:
        yield f"  {count_of(tally.cut_short, 'answer')} ended early: their lengths are what had come by then"


def _shortfalls(report: RecordReport) -> Iterator[str]:
    tally = report.tally
    if report.broken:
        yield f"recording ended before the traffic did: the recording process failed ({report.broken})"
    if tally.unwritten:
        yield f"not in the file, which could not be written: {count_of(tally.unwritten, 'request')}"
    for why, count in sorted(tally.missed.items()):
        yield f"not recorded as they were: {count} ({why})"
    if tally.forgotten:
        yield "memory was bounded: what the oldest prompts shared was forgotten, later repetitions count as new"
    if report.cut_off:
        yield f"{count_of(report.cut_off, 'connection')} had not finished and were cut off"

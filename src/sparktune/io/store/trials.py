"""Rows of waves: one transaction writes a wave, one wave at a time is read."""

__all__ = ["has_request", "insert_trial", "read_trial", "trial_numbers"]

import sqlite3
from collections.abc import Iterator

from sparktune.io.store.codec import compress, decompress, from_json, pack, plain_text, to_json, unpack
from sparktune.io.store.keys import cell_from, cell_key
from sparktune.model.raw import RawRequest, RawTrial, Scrape
from sparktune.model.recording import End, Recording, StampSource
from sparktune.model.trial import ClientHealth, Phase

_TRIAL = """
    INSERT INTO trials (run_id, prompt_tokens, output_tokens, depth, concurrency, shape, phase, place,
                        started_wall_s, complete, health)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_REQUEST = """
    INSERT INTO requests (trial, place, stream, prompt_sha256, prompt_tokens_asked, output_tokens_asked, first_tokens,
                          connect_start_ns, connected_ns, send_start_ns, send_end_ns, end_ns, end_reason, stamp_source,
                          detail, data, read_ends, arrival_ns, woke_ns, planned_ns)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def insert_trial(connection: sqlite3.Connection, run_id: str, raw: RawTrial) -> None:
    """Write one wave with its requests and scrapes; the caller holds the transaction."""
    named = (*cell_key(run_id, raw.cell), raw.phase.value, raw.index, raw.started_wall_s)
    number = connection.execute(_TRIAL, (*named, raw.complete, to_json(raw.health))).lastrowid
    connection.executemany(
        _REQUEST,
        ((number, place, *_request_row(request)) for place, request in enumerate(raw.requests)),
    )
    connection.executemany(
        "INSERT INTO scrapes (trial, role, place, at_ns, headers, body) VALUES (?, ?, ?, ?, ?, ?)",
        ((number, *row) for row in _scrape_rows(raw)),
    )


def has_request(connection: sqlite3.Connection, run_id: str, request: RawRequest) -> bool:
    """Whether this very request is already stored: no two of one run were sent and ended at the same nanoseconds."""
    query = """
        SELECT 1 FROM requests JOIN trials ON trials.number = requests.trial
        WHERE run_id = ? AND stream = ? AND connect_start_ns = ? AND send_start_ns = ? AND requests.end_ns = ?
    """
    sent = request.recording
    values = (run_id, request.stream, sent.connect_start_ns, sent.send_start_ns, sent.end_ns)
    return connection.execute(query, values).fetchone() is not None


def trial_numbers(connection: sqlite3.Connection, run_id: str) -> tuple[int, ...]:
    """Return the keys of a run's waves in the order in which they were stored."""
    rows = connection.execute("SELECT number FROM trials WHERE run_id = ? ORDER BY number", (run_id,))
    return tuple(number for (number,) in rows)


def read_trial(connection: sqlite3.Connection, number: int) -> RawTrial:
    """Read one wave back."""
    row = connection.execute("SELECT * FROM trials WHERE number = ?", (number,)).fetchone()
    scrapes = tuple(_scrapes(connection, number))
    return RawTrial(
        cell=cell_from(row),
        index=row["place"],
        phase=Phase(row["phase"]),
        started_wall_s=row["started_wall_s"],
        requests=tuple(_requests(connection, number)),
        health=from_json(row["health"], ClientHealth),
        before=next((scrape for role, scrape in scrapes if role == "before"), None),
        after=next((scrape for role, scrape in scrapes if role == "after"), None),
        during=tuple(scrape for role, scrape in scrapes if role == "during"),
        complete=bool(row["complete"]),
    )


def _request_row(request: RawRequest) -> tuple[object, ...]:
    recording = request.recording
    return (
        request.stream,
        request.prompt_sha256,
        request.prompt_tokens_asked,
        request.output_tokens_asked,
        request.first_tokens,
        recording.connect_start_ns,
        recording.connected_ns,
        recording.send_start_ns,
        recording.send_end_ns,
        recording.end_ns,
        recording.end.value,
        recording.source.value,
        plain_text(recording.detail),
        compress(recording.data),
        pack(recording.read_ends),
        pack(recording.arrival_ns),
        pack(recording.woke_ns),
        recording.planned_ns,
    )


def _requests(connection: sqlite3.Connection, number: int) -> Iterator[RawRequest]:
    for row in connection.execute("SELECT * FROM requests WHERE trial = ? ORDER BY place", (number,)):
        yield RawRequest(
            stream=row["stream"],
            prompt_sha256=row["prompt_sha256"],
            prompt_tokens_asked=row["prompt_tokens_asked"],
            output_tokens_asked=row["output_tokens_asked"],
            first_tokens=row["first_tokens"],
            recording=_recording(row),
        )


def _recording(row: sqlite3.Row) -> Recording:
    return Recording(
        connect_start_ns=row["connect_start_ns"],
        connected_ns=row["connected_ns"],
        send_start_ns=row["send_start_ns"],
        send_end_ns=row["send_end_ns"],
        end_ns=row["end_ns"],
        end=End(row["end_reason"]),
        source=StampSource(row["stamp_source"]),
        data=decompress(row["data"]),
        read_ends=unpack(row["read_ends"]),
        arrival_ns=unpack(row["arrival_ns"]),
        woke_ns=unpack(row["woke_ns"]),
        detail=row["detail"],
        planned_ns=row["planned_ns"],
    )


def _scrape_rows(raw: RawTrial) -> Iterator[tuple[object, ...]]:
    around = (("before", raw.before), ("after", raw.after))
    marked = [(role, 0, scrape) for role, scrape in around if scrape is not None]
    marked += [("during", place, scrape) for place, scrape in enumerate(raw.during)]
    for role, place, scrape in marked:
        yield role, place, scrape.at_ns, to_json(scrape.headers), compress(scrape.body)


def _scrapes(connection: sqlite3.Connection, number: int) -> Iterator[tuple[str, Scrape]]:
    query = "SELECT role, at_ns, headers, body FROM scrapes WHERE trial = ? ORDER BY role, place"
    for role, at_ns, headers, body in connection.execute(query, (number,)):
        yield role, Scrape(at_ns=at_ns, headers=from_json(headers, dict[str, str]), body=decompress(body))

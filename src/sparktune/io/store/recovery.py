"""Take over what a dead process left in its spool: finished requests of a wave that was never committed."""

__all__ = ["Recovery", "recover"]

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from sparktune.io.store.frames import SpooledWave, read_waves
from sparktune.io.store.spool import lock, spools_beside
from sparktune.io.store.transaction import transaction
from sparktune.io.store.trials import has_request, insert_trial
from sparktune.model.raw import RawTrial
from sparktune.model.recording import send_skew_ns
from sparktune.model.trial import ClientHealth
from sparktune.units import NS_PER_S, Bytes, seconds_between

_UNKNOWN = float("nan")  # the process took its own CPU account with it


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """What was found: waves and requests now in the store, torn bytes dropped.

    ``orphans`` counts what was left where it is: waves whose run the store does not have, spools of another version or
    for which the disk has no room.
    """

    waves: int = 0
    requests: int = 0
    torn_bytes: Bytes = 0
    orphans: int = 0

    def __add__(self, other: "Recovery") -> "Recovery":
        return Recovery(
            waves=self.waves + other.waves,
            requests=self.requests + other.requests,
            torn_bytes=self.torn_bytes + other.torn_bytes,
            orphans=self.orphans + other.orphans,
        )


def recover(connection: sqlite3.Connection, database: Path) -> Recovery:
    """Store every spooled wave of a dead process as incomplete, then delete its spool; living ones are left alone."""
    total = Recovery()
    for path in spools_beside(database):
        try:
            file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            continue  # its process ended, or another one recovered it
        try:
            if lock(file):
                total += _take_over_if_room(connection, path)
        finally:
            os.close(file)
    return total


def _take_over_if_room(connection: sqlite3.Connection, path: Path) -> Recovery:
    try:
        return _take_over(connection, path)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_FULL:
            raise
        # Nothing is lost by leaving it for later, and what is stored can be read and exported meanwhile.
        return Recovery(orphans=1)


def _take_over(connection: sqlite3.Connection, path: Path) -> Recovery:
    try:
        waves, torn = read_waves(path.read_bytes())
    except ValueError:  # whole frames, but not of this version: msgspec's errors are ValueErrors
        return Recovery(orphans=1)
    found = Recovery(torn_bytes=torn)
    with transaction(connection):
        for wave in waves:
            found += _store(connection, wave)
    if not found.orphans:
        path.unlink()
    return found


def _store(connection: sqlite3.Connection, wave: SpooledWave) -> Recovery:
    if not wave.requests:
        return Recovery()
    if connection.execute("SELECT 1 FROM runs WHERE id = ?", (wave.run_id,)).fetchone() is None:
        return Recovery(orphans=1)
    if has_request(connection, wave.run_id, wave.requests[0]):
        return Recovery()  # the process died between its commit and clearing its spool
    insert_trial(connection, wave.run_id, _incomplete(wave))
    return Recovery(waves=1, requests=len(wave.requests))


def _incomplete(wave: SpooledWave) -> RawTrial:
    recordings = [request.recording for request in wave.requests]
    sends = [recording.send_start_ns for recording in recordings if recording.send_start_ns]
    first = min(sends, default=recordings[0].connect_start_ns)
    health = ClientHealth(
        wall_s=seconds_between(first, max(recording.end_ns for recording in recordings)),
        cpu_ratio=_UNKNOWN,
        lag_p99_s=None,
        lag_max_s=None,
        send_skew_s=send_skew_ns(recordings) / NS_PER_S,
        cores=(),
        source=recordings[0].source,
        reads=sum(len(recording.read_ends) for recording in recordings),
    )
    return RawTrial(
        cell=wave.cell,
        index=wave.index,
        phase=wave.phase,
        started_wall_s=wave.started_wall_s,
        requests=wave.requests,
        health=health,
        complete=False,
    )

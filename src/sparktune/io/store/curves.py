"""Rows of the memory of nodes over visits."""

__all__ = ["read_curves", "write_curve"]

import sqlite3

from sparktune.experiment.memory_curve import MemoryCurve
from sparktune.io.store.codec import compress, decompress, from_json, to_json


def write_curve(connection: sqlite3.Connection, experiment_id: str, curve: MemoryCurve) -> None:
    """Keep a curve; a later one of the same node and visit replaces it."""
    connection.execute(
        "INSERT OR REPLACE INTO memory_curves (experiment_id, block, attempt, place, node, record)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (experiment_id, *curve.visit, curve.node, compress(to_json(curve).encode())),
    )


def read_curves(connection: sqlite3.Connection, experiment_id: str) -> tuple[MemoryCurve, ...]:
    """Return all curves of an experiment, in the order of the plan and of attempts."""
    query = "SELECT record FROM memory_curves WHERE experiment_id = ? ORDER BY block, attempt, place, node"
    rows = connection.execute(query, (experiment_id,))
    return tuple(from_json(decompress(record).decode(), MemoryCurve) for (record,) in rows)

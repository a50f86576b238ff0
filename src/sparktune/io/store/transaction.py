"""One transaction of the database."""

__all__ = ["durable_transaction", "transaction"]

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all or nothing; the write lock is taken at once, so that waiting happens here and not in the middle."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk can already have ended the transaction.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def durable_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write so that a power cut takes nothing: what is done to a machine must not outlive its record."""
    connection.execute("PRAGMA synchronous = FULL")
    try:
        with transaction(connection):
            yield
    finally:
        connection.execute("PRAGMA synchronous = NORMAL")

"""The store of runs, on SQLite: bytes and stamps of every request, committed wave by wave."""

from sparktune.io.store.store import Store

__all__ = ["Store"]

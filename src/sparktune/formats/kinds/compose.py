"""Compose files: services with their variables, keys and commands."""

__all__ = ["FORMAT"]

import re

from sparktune.formats.compose_read import read_compose
from sparktune.formats.slots import write_entry
from sparktune.model.document import Document, EntryKind, Format

_NAME = re.compile(r"(?:docker-)?compose\b.*\.ya?ml|.*\bcompose\.ya?ml", re.IGNORECASE)
_SERVICES = re.compile(r"^\ufeff?[\"']?services[\"']?\s*:", re.MULTILINE)


def _recognises(name: str, text: str) -> bool:
    return _NAME.fullmatch(name.rsplit("/", 1)[-1]) is not None or _SERVICES.search(text) is not None


def _read(name: str, text: str) -> Document:
    return read_compose(name, text).document


def _write(document: Document, part: str, kind: EntryKind, name: str, value: str | None) -> str:
    return write_entry(read_compose, document, part, kind, name, value)


FORMAT = Format(id="compose", title="compose file", recognises=_recognises, read=_read, write=_write, order=10)

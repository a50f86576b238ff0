"""Files of variables for compose: ``.env``, ``--env-file`` and ``env_file:``."""

__all__ = ["FORMAT"]

import re

from sparktune.formats.env_lines import EnvDialect, read_env
from sparktune.formats.slots import Reading, write_entry
from sparktune.model.document import Document, EntryKind, Format

_NAME = re.compile(r"\.env(?:\..+)?|.+\.env|env(?:\..+)?|.+\.env\.\w+", re.IGNORECASE)
_SAID = re.compile(r"\s*(?:#|$)")
_ASSIGNED = re.compile(
    r"""\s*(?:export\s+)?[A-Za-z_][A-Za-z0-9_.]*\s*=(?!=)(?:"[^"]*"|'[^']*'|[^\s"']*)\s*(?:\s\#.*)?""", re.ASCII
)


def _recognises(name: str, text: str) -> bool:
    if _NAME.fullmatch(name.rsplit("/", 1)[-1]):
        return True
    lines = [line for line in text[:20_000].removeprefix("\ufeff").split("\n") if not _SAID.match(line)]
    said = [line for line in lines if _ASSIGNED.fullmatch(line)]
    return bool(said) and len(said) == len(lines)


def _scan(name: str, text: str) -> Reading:
    return read_env(name, text, EnvDialect.COMPOSE)


def _read(name: str, text: str) -> Document:
    return _scan(name, text).document


def _write(document: Document, part: str, kind: EntryKind, name: str, value: str | None) -> str:
    return write_entry(_scan, document, part, kind, name, value)


FORMAT = Format(
    id="env", title="file of variables (compose)", recognises=_recognises, read=_read, write=_write, order=60
)

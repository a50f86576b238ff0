"""Files of variables for ``docker run --env-file``, which takes quotes and ``#`` as part of the value.

Nothing in a file tells that docker reads it and not compose: this format is asked for by its id.
"""

__all__ = ["FORMAT"]

from sparktune.formats.env_lines import EnvDialect, read_env
from sparktune.formats.slots import Reading, write_entry
from sparktune.model.document import Document, EntryKind, Format


def _scan(name: str, text: str) -> Reading:
    return read_env(name, text, EnvDialect.DOCKER)


def _read(name: str, text: str) -> Document:
    return _scan(name, text).document


def _write(document: Document, part: str, kind: EntryKind, name: str, value: str | None) -> str:
    return write_entry(_scan, document, part, kind, name, value)


FORMAT = Format(
    id="docker-env",
    title="file of variables (docker run --env-file)",
    recognises=lambda _name, _text: False,
    read=_read,
    write=_write,
    order=90,
)

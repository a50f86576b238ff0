"""Files of variables that a unit names in ``EnvironmentFile=``: ``/etc/default/NAME``."""

__all__ = ["FORMAT"]

import re

from sparktune.formats.env_lines import EnvDialect, read_env
from sparktune.formats.slots import Reading, write_entry
from sparktune.model.document import Document, EntryKind, Format

_PLACE = re.compile(r"(?:.*/)?etc/(?:default|sysconfig|conf\.d|environment\.d)/[^/]+|(?:.*/)?etc/environment")


def _recognises(name: str, _text: str) -> bool:
    return _PLACE.fullmatch(name) is not None


def _scan(name: str, text: str) -> Reading:
    return read_env(name, text, EnvDialect.SYSTEMD)


def _read(name: str, text: str) -> Document:
    return _scan(name, text).document


def _write(document: Document, part: str, kind: EntryKind, name: str, value: str | None) -> str:
    return write_entry(_scan, document, part, kind, name, value)


FORMAT = Format(
    id="environment",
    title="file of variables (systemd EnvironmentFile)",
    recognises=_recognises,
    read=_read,
    write=_write,
    order=20,
)

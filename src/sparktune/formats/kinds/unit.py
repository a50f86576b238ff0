"""Units of systemd and their drop-ins: keys by section, variables, the command of ExecStart=."""

__all__ = ["FORMAT"]

import re

from sparktune.formats.slots import write_entry
from sparktune.formats.unit_lines import SECTION
from sparktune.formats.unit_read import read_unit
from sparktune.model.document import Document, EntryKind, Format

_NAME = re.compile(r".+\.(?:service|socket|timer|slice|scope|target|mount|path)|.+\.service\.d/.+\.conf")


def _recognises(name: str, text: str) -> bool:
    if _NAME.fullmatch(name):
        return True
    found = SECTION.search(text)
    return found is not None and found["name"] in {"Unit", "Service", "Install", "Manager", "Slice", "Container"}


def _read(name: str, text: str) -> Document:
    return read_unit(name, text).document


def _write(document: Document, part: str, kind: EntryKind, name: str, value: str | None) -> str:
    return write_entry(read_unit, document, part, kind, name, value)


FORMAT = Format(id="unit", title="systemd unit", recognises=_recognises, read=_read, write=_write, order=20)

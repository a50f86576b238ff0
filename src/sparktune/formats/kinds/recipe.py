"""Recipes of sparkrun: defaults, variables, and a command with placeholders."""

__all__ = ["FORMAT"]

import re

from sparktune.formats.recipe_read import read_recipe
from sparktune.formats.slots import write_entry
from sparktune.model.document import Document, EntryKind, Format

_VERSION = re.compile(r"^\ufeff?(?:recipe_version|sparkrun_version|min_sparkrun_version)\s*:", re.MULTILINE)
_MODEL = re.compile(r"^\ufeff?model\s*:", re.MULTILINE)
_REST = re.compile(r"^(?:defaults|runtime|container|command|mods|executor_config)\s*:", re.MULTILINE)


def _recognises(_name: str, text: str) -> bool:
    return _VERSION.search(text) is not None or (_MODEL.search(text) is not None and _REST.search(text) is not None)


def _read(name: str, text: str) -> Document:
    return read_recipe(name, text).document


def _write(document: Document, part: str, kind: EntryKind, name: str, value: str | None) -> str:
    return write_entry(read_recipe, document, part, kind, name, value)


FORMAT = Format(id="recipe", title="sparkrun recipe", recognises=_recognises, read=_read, write=_write, order=15)

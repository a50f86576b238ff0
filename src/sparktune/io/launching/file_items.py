"""The items of steps that count at a boot: files and links, as a node has them now. Pure.

A file is told by a digest of its text: whatever its length is, and whatever secret may be in it.
"""

__all__ = ["file_item", "file_reads"]

import hashlib
from typing import Final

from sparktune.io.launching.item import Item
from sparktune.model.observed import State, present
from sparktune.model.reads import Read, ReadFile, Readings, ReadLinks
from sparktune.model.step import FileStep, LinkStep

_NOTHING: Final = "nothing"  # in the place of a file or link that is not there
_MOST_BYTES: Final = 8 * 1024 * 1024


def file_reads(step: FileStep | LinkStep) -> tuple[Read, ...]:
    """Return what has to be read."""
    if isinstance(step, LinkStep):
        return (ReadLinks(pattern=step.path),)
    return (ReadFile(path=step.path, most_bytes=_MOST_BYTES),)


def file_item(step: FileStep | LinkStep, readings: Readings) -> Item:
    """Return the file or link as it is."""
    if isinstance(step, LinkStep):
        target = readings.links.get(step.path, {}).get(step.path, _NOTHING)
        return Item(name=step.path, found=present(target), wanted=step.target or _NOTHING, form="words")
    text = readings.file(step.path)
    found = present(_NOTHING) if text.state is State.ABSENT else text.map(_digest)
    wanted = _NOTHING if step.text is None else _digest(step.text)
    return Item(name=step.path, found=found, wanted=wanted, form="words")


def _digest(text: str) -> str:
    named = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return f"{len(text)} characters, sha256 {named}"

"""How every format is edited: the ways to write a value are tried in turn, and each outcome is read again and compared.

A reader says, besides the document, how each entry could be replaced or taken out, and where a new one would go. An
edit counts only when the text then says what was wanted and, but for that, what it said before.
"""

__all__ = ["Reading", "Slot", "write_entry"]

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sparktune.formats.flags import without_flag
from sparktune.formats.yaml_scalar import Edit
from sparktune.model.document import Command, Document, Entry, EntryKind, NotThisFormat

_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """An entry, and the ways to give it another value or to take it out, the best first."""

    entry: Entry
    replace: Callable[[str], Iterable[Edit]]
    remove: Callable[[], Iterable[Edit]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a reader found. ``add(part, kind, name, value)`` yields the ways to write a new entry.

    ``wholes`` are keys that say as one what flags and variables say one by one (``command``).
    ``others`` is what else the text says; ``same(mine, theirs, entry)`` compares it, the named entry left out.
    """

    document: Document
    slots: tuple[Slot, ...]
    add: Callable[[str, EntryKind, str, str], Iterable[Edit]]
    wholes: frozenset[str] = frozenset()
    others: object = None
    same: Callable[[object, object, _Key], bool] = lambda mine, theirs, _: mine == theirs


def write_entry(
    read: Callable[[str, str], Reading], document: Document, part: str, kind: EntryKind, name: str, value: str | None
) -> str:
    """Return the text in which an entry says ``value``, or is gone. Raises ValueError where that cannot be, with why.

    Of several entries of one name the last one is edited; all are taken out.
    """
    if "\ufffd" in document.text:
        message = "it is not all UTF-8, and would not come back as it is"
        raise ValueError(message)
    reading = read(document.name, document.text)
    wanted = (part, kind, name)
    if value is None:
        return _without(read, reading, wanted)
    slots = _slots(reading, wanted)
    if slots and _says(slots[-1].entry, value):
        return document.text
    fixed = slots[-1].entry.fixed if slots else ""
    edits = reading.add(part, kind, name, value) if not slots else () if fixed else slots[-1].replace(value)
    found = _first(read, reading, edits, wanted, value)
    if found is None and fixed:
        found = _first(read, reading, reading.add(part, kind, name, value), wanted, value)
    if found is None:
        raise ValueError(_why(wanted, fixed))
    return found.document.text


def _why(wanted: _Key, fixed: str) -> str:
    part, _, name = wanted
    where = f"{part}: {name}" if part else name
    return f"{where}: {fixed or 'no edit of it leaves the rest of the text as it is'}"


def _says(entry: Entry, value: str) -> bool:
    """Whether an entry says a value; a flag without one says ""."""
    return entry.text == value or (entry.kind == "flag" and entry.text is None and not value)


def _slots(reading: Reading, wanted: _Key) -> list[Slot]:
    return [one for one in reading.slots if (one.entry.part, one.entry.kind, one.entry.name) == wanted]


def _without(read: Callable[[str, str], Reading], reading: Reading, wanted: _Key) -> str:
    while slots := _slots(reading, wanted) or _inner_slots(reading, wanted):
        entry = slots[-1].entry
        this = (entry.part, entry.kind, entry.name)
        edits = () if entry.fixed else slots[-1].remove()
        found = _first(read, reading, edits, this, None)
        if found is None or len(_slots(found, this)) >= len(_slots(reading, this)):
            raise ValueError(_why(this, entry.fixed))
        reading = found
    return reading.document.text


def _inner_slots(reading: Reading, wanted: _Key) -> list[Slot]:
    """Return what stands below a key that is no plain value, the last one last."""
    part, kind, name = wanted
    found = [one for one in reading.slots if (one.entry.part, one.entry.kind) == (part, kind) and kind == "key"]
    return [one for one in found if one.entry.name.startswith((f"{name}.", f"{name}["))]


def _first(
    read: Callable[[str, str], Reading],
    before: Reading,
    edits: Iterable[Edit],
    wanted: _Key,
    value: str | None,
) -> Reading | None:
    for edit in edits:
        try:
            after = read(before.document.name, edit.of(before.document.text))
        except NotThisFormat:
            continue
        if _is_that(before, after, wanted, value):
            return after
    return None


def _is_that(before: Reading, after: Reading, wanted: _Key, value: str | None) -> bool:
    slots = _slots(after, wanted)
    if value is not None and (not slots or not _says(slots[-1].entry, value)):
        return False
    if value is not None and len(slots) != max(1, len(_slots(before, wanted))):
        return False
    return (
        _entries(before, wanted) == _entries(after, wanted)
        and _commands(before, wanted) == _commands(after, wanted)
        and before.same(before.others, after.others, wanted)
    )


def _entries(reading: Reading, wanted: _Key) -> Counter[tuple[_Key, str | None]]:
    return Counter(
        ((one.part, one.kind, one.name), one.text)
        for one in (slot.entry for slot in reading.slots)
        if (one.part, one.kind, one.name) != wanted and not _follows(reading, one, wanted)
    )


def _follows(reading: Reading, entry: Entry, wanted: _Key) -> bool:
    """Whether an entry says the same as the wanted one: a whole command, and what is in it.

    Neither counts the key that is left without a value when the last one below it is taken out.
    """
    part, kind, name = wanted
    if entry.part != part:
        return False
    if kind == "key" and name in reading.wholes:
        return True
    if entry.kind == kind and entry.text is None and name.startswith((f"{entry.name}.", f"{entry.name}[")):
        return True
    return entry.kind == "key" and entry.name in reading.wholes


def _commands(reading: Reading, wanted: _Key) -> list[tuple[str, bool, tuple[str, ...], tuple[str, ...]]]:
    part, kind, name = wanted
    return [
        (one.part, one.shell, _words(one, wanted), tuple(word.text for word in one.lost))
        for one in reading.document.commands
        if one.part != part or kind != "key" or name not in reading.wholes
    ]


def _words(command: Command, wanted: _Key) -> tuple[str, ...]:
    """Return the words of a command, without a flag that was edited; its value is compared as an entry."""
    part, kind, name = wanted
    words = [one.text for one in command.words]
    return tuple(without_flag(words, name) if kind == "flag" and part == command.part else words)

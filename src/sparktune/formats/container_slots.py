"""Entries of a ``docker run``: what it gives the container, and how each could be edited."""

__all__ = ["container_slots", "new_option"]

from collections.abc import Iterator

from sparktune.formats.container_run import ContainerRun, Given
from sparktune.formats.flag_edit import behind_word, removed_words, replaced_word
from sparktune.formats.located import Lines
from sparktune.formats.slots import Slot
from sparktune.formats.yaml_scalar import Edit
from sparktune.model.document import Entry, EntryKind


def container_slots(part: str, run: ContainerRun, lines: Lines) -> Iterator[Slot]:
    """Yield the variables and the options of a container, by the names that compose has for them."""
    for one in run.env:
        yield _slot(part, "env", one, lines)
    for one in run.keys:
        yield _slot(part, "key", one, lines)


def _slot(part: str, kind: EntryKind, one: Given, lines: Lines) -> Slot:
    fixed = one.first.fixed or one.last.fixed
    entry = Entry(
        part=part,
        kind=kind,
        name=one.name,
        text=one.text,
        line=lines.at(one.first.span.start),
        span=None if fixed else one.last.span,
        fixed=fixed,
    )
    sign = "=" if kind == "env" and one.text is None else ""
    switch = kind == "key" and one.text == "true" and one.last.text.startswith("-")
    return Slot(
        entry=entry,
        replace=lambda value: () if switch else replaced_word(one.last, f"{one.prefix}{sign}{value}"),
        remove=lambda: () if one.name == "image" else removed_words(one.first, one.last),
    )


def new_option(run: ContainerRun, kind: EntryKind, name: str, value: str) -> Iterator[Edit]:
    """Yield ways to give a container a variable; other options are for whoever wrote the command."""
    if kind == "env" and run.launcher:
        last = run.options[-1] if run.options else run.launcher[-1]
        yield from behind_word(last, ["-e", f"{name}={value}"])

"""A systemd unit or drop-in as a document: keys by section, variables of Environment=, words and flags of ExecStart=.

Sources: systemd.syntax(7) for sections, comments, continued lines and quotes; systemd.service(5), ExecStart= and
COMMAND LINES, for prefixes and several commands; systemd.exec(5), Environment=; systemd's conf-parser.c for a
comment inside a continued line, a byte order mark, and the backslash that is itself escaped.
"""

__all__ = ["read_unit"]

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sparktune.formats.broken import refuse_no_text
from sparktune.formats.container_run import ContainerRun, container_run, served_in_container
from sparktune.formats.container_slots import container_slots, new_option
from sparktune.formats.flag_edit import flag_edits, removed_words, variable_edits, variable_span
from sparktune.formats.quoting import Dialect, quoted
from sparktune.formats.serving import Assignment, Call, CallWord, words_of_text
from sparktune.formats.shell import SYSTEMD_ESCAPED
from sparktune.formats.slots import Reading, Slot
from sparktune.formats.unit_lines import Unit, UnitSetting, effective, parsed_unit
from sparktune.formats.yaml_edit import line_edit
from sparktune.formats.yaml_scalar import Edit
from sparktune.formats.yaml_slots import call_slots, command_of
from sparktune.model.document import Document, Entry, EntryKind, NotThisFormat, Problem, Span

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_PREFIXES = re.compile(r"[@:+!|-]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=", re.ASCII)


_Words = tuple[tuple[CallWord, ...], tuple[CallWord, ...]]


def read_unit(name: str, text: str) -> Reading:
    """Read a unit. Raises NotThisFormat for what is none, with line and hint."""
    refuse_no_text(text)
    unit = parsed_unit(text)
    if not unit.headers:
        message = "no section like [Service] in it"
        raise NotThisFormat(message, hint="a unit has its keys below [Unit], [Service] or the like")
    sections = {section: _section(unit, section) for section in unit.headers}
    calls = {section: call for section, (_, call, _) in sections.items() if call is not None}
    runs = {section: run for section, (_, _, run) in sections.items() if run is not None}
    keys = (_key_slot(unit, one) for one in unit.settings)
    slots = (*keys, *(slot for own, _, _ in sections.values() for slot in own))
    document = Document(
        format="unit",
        name=name,
        text=text,
        entries=tuple(one.entry for one in slots),
        commands=tuple(command_of(section, call, unit.lines) for section, call in calls.items()),
        problems=tuple(sorted(unit.problems, key=lambda one: one.line)),
    )
    return Reading(
        document=document,
        slots=slots,
        add=lambda part, kind, key, value: _added(unit, calls, runs, part, kind, key, value),
        wholes=frozenset({"Environment", "ExecStart"}),
        others=tuple((one.section, one.key, one.value.text) for one in unit.settings),
        same=_same_but,
    )


def _section(unit: Unit, section: str) -> tuple[list[Slot], Call | None, ContainerRun | None]:
    """Return what a section sets besides its keys, the command that it starts, and the container around that."""
    slots = list(_variables(unit, section))
    words, lost = _exec_start(unit, section)
    call = _call(unit, section, words, lost)
    run = container_run(words)
    if run is not None:
        slots += container_slots(section, run, unit.lines)
    if call is not None:
        slots += call_slots(section, call, unit.lines)
    return slots, call, run


def _key_slot(unit: Unit, one: UnitSetting) -> Slot:
    start = one.value.starts[0] if one.value.text else one.value.before
    entry = Entry(
        part=one.section,
        kind="key",
        name=one.key,
        text=one.value.text,
        line=unit.lines.at(one.start),
        span=Span(start=start, end=one.value.after),
    )
    return Slot(
        entry=entry,
        replace=lambda value: [Edit(start=start, end=one.value.after, text=value)] if "\n" not in value else [],
        remove=lambda: (_without(unit.text, one),),
    )


def _without(text: str, one: UnitSetting) -> Edit:
    if one.end < len(text) or text.endswith("\n") or not one.start:
        return Edit(start=one.start, end=one.end, text="")
    return Edit(start=len(text[: one.start].rstrip("\r\n")), end=one.end, text="")


def _variables(unit: Unit, section: str) -> Iterator[Slot]:
    for setting in effective(unit, section, "Environment"):
        odd = [found[1] for found in _ESCAPE.finditer(setting.value.text) if found[1] not in SYSTEMD_ESCAPED]
        if odd:
            message = "an unknown escape: systemd ignores all of this Environment="
            hint = "double the backslash"
            unit.problems.append(Problem(line=unit.lines.at(setting.start), message=message, hint=hint))
            continue
        try:
            words, _ = words_of_text(setting.value, Dialect.SYSTEMD)
        except ValueError as error:
            unit.problems.append(_unreadable(unit, setting, error))
            continue
        for word in words:
            name, sign, value = word.text.partition("=")
            if not sign:
                message = "a word of Environment= is no NAME=value"
                hint = 'put quotes around all of it: Environment="NAME=a b"'
                unit.problems.append(Problem(line=unit.lines.at(word.span.start), message=message, hint=hint))
                continue
            yield _variable_slot(unit, setting, Assignment(name=name, value=value, word=word), alone=len(words) == 1)


def _variable_slot(unit: Unit, setting: UnitSetting, one: Assignment, *, alone: bool) -> Slot:
    span = variable_span(one)
    entry = Entry(
        part=setting.section,
        kind="env",
        name=one.name,
        text=one.value,
        line=unit.lines.at(one.word.span.start),
        span=span,
    )
    return Slot(
        entry=entry,
        replace=lambda value: variable_edits(one, value),
        remove=lambda: [_without(unit.text, setting)] if alone else removed_words(one.word, one.word),
    )


def _unreadable(unit: Unit, setting: UnitSetting, error: ValueError) -> Problem:
    place = getattr(error, "place", setting.start)
    return Problem(line=unit.lines.at(place), message=f"{setting.key}=: {error}", hint="close it in that line")


def _exec_start(unit: Unit, section: str) -> _Words:
    """Return the words of the command of a section, and those that are lost; none where there is no command."""
    settings = effective(unit, section, "ExecStart")
    if not settings:
        return (), ()
    setting = settings[-1]
    prefixes = _PREFIXES.match(setting.value.text)
    size = prefixes.end() if prefixes else 0
    value = replace(
        setting.value,
        text=setting.value.text[size:],
        starts=setting.value.starts[size:],
        ends=setting.value.ends[size:],
        before=setting.value.behind(size),
    )
    try:
        words, lost = words_of_text(value, Dialect.SYSTEMD)
    except ValueError as error:
        unit.problems.append(_unreadable(unit, setting, error))
        return (), ()
    if prefixes and "@" in prefixes[0]:
        words = (*words[:1], *words[2:])  # the second word is the name that the process gets
    return words, lost


def _call(unit: Unit, section: str, words: Sequence[CallWord], lost: Sequence[CallWord]) -> Call | None:
    if not words:
        return None
    try:
        call = served_in_container(words)
    except ValueError as error:
        unit.problems.append(_unreadable(unit, effective(unit, section, "ExecStart")[-1], error))
        return None
    return replace(call, lost=(*call.lost, *lost))


def _added(
    unit: Unit,
    calls: dict[str, Call],
    runs: dict[str, ContainerRun],
    part: str,
    kind: EntryKind,
    name: str,
    value: str,
) -> Iterator[Edit]:
    if "\n" in value or "\r" in value:
        return
    if kind == "flag":
        if part in calls:
            yield from flag_edits(calls[part], name, value)
        return
    if kind == "env" and part in runs:
        yield from new_option(runs[part], kind, name, value)
    elif kind == "env" and _VARIABLE.fullmatch(f"{name}="):
        for form in quoted(f"{name}={value}", Dialect.SYSTEMD):
            yield _new_line(unit, part, "Environment", form)
    elif kind == "key" and "=" not in name:
        yield _new_line(unit, part, name, value)


def _new_line(unit: Unit, section: str, key: str, value: str) -> Edit:
    line = f"{key}={value}"
    if section not in unit.headers:
        lines = ["", f"[{section}]", line] if unit.text.strip() else [f"[{section}]", line]
        return line_edit(unit.text, len(unit.text.rstrip("\r\n")), lines)
    like = [one for one in unit.settings if (one.section, one.key) == (section, key)]
    here = like or [one for one in unit.settings if one.section == section]
    place = here[-1].end if here else unit.headers[section] + 1
    place = max(0, len(unit.text[:place].rstrip("\r\n")))
    return line_edit(unit.text, place, [line])


def _same_but(mine: object, theirs: object, wanted: tuple[str, str, str]) -> bool:
    part, kind, name = wanted
    skipped = {"flag": {"ExecStart"}, "env": {"Environment", "ExecStart"}}.get(kind, {name})
    if kind == "key" and not any(one[:2] == (part, name) for one in (*_settings(mine), *_settings(theirs))):
        skipped = {"ExecStart"}  # an option of the container that it runs

    def kept(settings: object) -> list[tuple[str, str, str]]:
        return [one for one in _settings(settings) if one[0] != part or one[1] not in skipped]

    return kept(mine) == kept(theirs)


def _settings(others: object) -> tuple[tuple[str, str, str], ...]:
    return others if isinstance(others, tuple) else ()

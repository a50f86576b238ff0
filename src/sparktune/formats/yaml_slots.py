"""Entries of a YAML text with their places: members of a mapping with its merges, variables, keys, words of commands.

Source: YAML 1.2; the merge key ``<<`` (YAML 1.1 types): keys of the mapping itself win, then the earlier of several.
"""

__all__ = ["Member", "YamlText"]

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from sparktune.formats.flag_edit import (
    flag_edits,
    flag_span,
    removal_edits,
    removed_words,
    variable_edits,
    variable_span,
)
from sparktune.formats.flags import flags_of, hidden_model
from sparktune.formats.located import Lines
from sparktune.formats.serving import Assignment, Call, CallWord
from sparktune.formats.slots import Slot
from sparktune.formats.yaml_edit import Sequence, ends_at, item_edits, removed_member, scalar_edits
from sparktune.formats.yaml_scalar import Edit, located_scalar, written_start
from sparktune.model.document import Command, Entry, EntryKind, Span, Word

_NULL = "tag:yaml.org,2002:null"
_MERGE = "tag:yaml.org,2002:merge"
_RESET = "!reset"


@dataclass(frozen=True, slots=True)
class Member:
    """A key of a mapping: ``place`` is its index in the mapping that has it; ``fixed`` says why not to edit it."""

    name: str
    key: Any
    value: Any
    owner: MappingNode
    place: int
    fixed: str = ""


@dataclass(frozen=True, slots=True)
class YamlText:
    """A YAML text; ``shared``: the nodes that several places use (anchors with aliases), by identity."""

    text: str
    lines: Lines
    shared: frozenset[int]

    @classmethod
    def of(cls, text: str, root: Node) -> "YamlText":
        """Look through all nodes once."""
        seen: set[int] = set()
        shared: set[int] = set()
        left = [root]
        while left:
            node = left.pop()
            if id(node) in seen:
                shared.add(id(node))
                continue
            seen.add(id(node))
            if isinstance(node, MappingNode):
                left += [part for pair in node.value for part in pair]
            elif isinstance(node, SequenceNode):
                left += node.value
        return cls(text, Lines(text), frozenset(shared))

    def why_fixed(self, node: Any, fixed: str = "") -> str:  # noqa: ANN401 - of ruamel.yaml
        """Return why a node is not edited where it stands, "" when nothing is against it."""
        if fixed:
            return fixed
        shared = id(node) in self.shared
        return f"it has an anchor that other parts use, too (line {node.start_mark.line + 1})" if shared else ""

    def members(self, node: Any, fixed: str = "") -> tuple[Member, ...]:  # noqa: ANN401 - of ruamel.yaml
        """Return the keys of a mapping, merged ones behind its own."""
        found: dict[str, Member] = {}
        self._collect(node, self.why_fixed(node, fixed), found, 0)
        return tuple(found.values())

    def _collect(self, node: Any, fixed: str, found: dict[str, Member], depth: int) -> None:  # noqa: ANN401 - see above
        if not isinstance(node, MappingNode) or depth > _DEEPEST:
            return
        merged: list[Any] = []
        for place, (key, value) in enumerate(node.value):
            if str(key.tag) == _MERGE:
                merged += value.value if isinstance(value, SequenceNode) else [value]
            elif isinstance(key, ScalarNode) and str(key.value) not in found:
                found[str(key.value)] = Member(str(key.value), key, value, node, place, fixed)
        for one in merged:
            self._collect(one, f"it is merged from line {one.start_mark.line + 1}", found, depth + 1)

    def line(self, node: Any) -> int:  # noqa: ANN401 - of ruamel.yaml
        """Return the line on which a scalar itself begins."""
        if isinstance(node, ScalarNode) and node.end_mark.index > node.start_mark.index:
            return self.lines.at(written_start(self.text, node))
        return int(node.start_mark.line) + 1

    def member_slot(self, part: str, kind: EntryKind, name: str, member: Member) -> Slot:
        """Return the slot of a scalar behind a key."""
        node, key_end = member.value, int(member.key.end_mark.index)
        alias = node.start_mark.index < member.key.start_mark.index
        fixed = self.why_fixed(node, member.fixed or ("it is an alias of another part" if alias else ""))
        empty = node.start_mark.index == node.end_mark.index
        span = None if fixed else self._scalar_span(node, key_end)
        entry = Entry(
            part=part,
            kind=kind,
            name=name,
            text=_said(node),
            line=self.line(member.key if empty or alias else node),
            span=span,
            fixed=fixed,
        )
        return Slot(
            entry=entry,
            replace=lambda value: scalar_edits(self.text, key_end, node, value),
            remove=lambda: removed_member(self.text, member.owner, member.place),
        )

    def _scalar_span(self, node: Any, key_end: int) -> Span | None:  # noqa: ANN401 - see above
        start, end = written_start(self.text, node), ends_at(self.text, node, key_end)
        if not self.text[start:end].strip():
            colon = self.text.find(":", key_end)
            return Span(start=colon + 1, end=colon + 1) if 0 <= colon <= start else None
        return Span(start=start, end=end)

    def item_slot(self, part: str, kind: EntryKind, name: str, prefix: str, owner: SequenceNode, place: int) -> Slot:
        """Return the slot of what stands behind ``prefix`` in an item of a list."""
        node = owner.value[place]
        fixed = self.why_fixed(node, self.why_fixed(owner))
        if not fixed and node.start_mark.index < owner.start_mark.index:
            fixed = "it is an alias of another part"
        located = located_scalar(self.text, node)
        text = str(node.value)
        named = bool(prefix) and text.startswith(prefix)
        whole = Span(start=written_start(self.text, node), end=ends_at(self.text, node, int(node.start_mark.index)))
        entry = Entry(
            part=part,
            kind=kind,
            name=name,
            text=text[len(prefix) :] if text.startswith(prefix) else None,
            line=self.line(node),
            span=None if fixed else located.span(len(prefix), len(text)) if named and located.encode else whole,
            fixed=fixed,
        )
        return Slot(
            entry=entry,
            replace=lambda value: item_edits(self.text, node, prefix, value, named=named),
            remove=lambda: Sequence(self.text, owner).removed(place, place),
        )

    def scalars(self, part: str, kind: EntryKind, member: Member, name: str = "", depth: int = 0) -> Iterator[Slot]:
        """Yield the slots of all scalars below a key: ``ulimits.memlock``, ``volumes[0]``."""
        name, node = name or member.name, member.value
        if str(node.tag) == _RESET or depth > _DEEPEST:
            return
        if isinstance(node, ScalarNode):
            yield self.member_slot(part, kind, name, member)
            return
        fixed = member.fixed
        if node.start_mark.index < member.key.start_mark.index:
            fixed = "it is an alias of another part"
        if isinstance(node, MappingNode):
            for one in self.members(node, fixed):
                yield from self.scalars(part, kind, one, f"{name}.{one.name}", depth + 1)
        elif isinstance(node, SequenceNode):
            yield from self._items(part, kind, node, name, fixed, depth)

    def _items(
        self, part: str, kind: EntryKind, node: SequenceNode, name: str, fixed: str, depth: int
    ) -> Iterator[Slot]:
        for place, item in enumerate(node.value):
            path = f"{name}[{place}]"
            if isinstance(item, ScalarNode):
                slot = self.item_slot(part, kind, path, "", node, place)
                yield with_reason(slot, fixed) if fixed else slot
            elif isinstance(item, MappingNode) and depth < _DEEPEST:
                for one in self.members(item, fixed):
                    yield from self.scalars(part, kind, one, f"{path}.{one.name}", depth + 2)

    def list_words(self, node: SequenceNode, fixed: str) -> tuple[CallWord, ...]:
        """Return the items of a list as words of a command."""
        holder = Sequence(self.text, node)
        words = []
        for place, item in enumerate(node.value):
            if not isinstance(item, ScalarNode):
                continue
            located = located_scalar(self.text, item)
            why = self.why_fixed(item, fixed)
            if item.start_mark.index < node.start_mark.index:
                why = why or "it is an alias of another part"
            end = ends_at(self.text, item, int(item.start_mark.index))
            words.append(
                CallWord(
                    text=str(item.value),
                    span=Span(start=written_start(self.text, item), end=end),
                    fixed=why,
                    item=place,
                    holder=holder,
                    inner=replace(located, fixed=why, encode=None) if why else located,
                )
            )
        return tuple(words)

    def call_slots(self, part: str, call: Call, fixed: str = "") -> Iterator[Slot]:
        """Yield the flags of a command, and the variables that its shell sets."""
        yield from call_slots(part, call, self.lines, fixed)


def call_slots(part: str, call: Call, lines: Lines, fixed: str = "") -> Iterator[Slot]:
    """Yield the flags of a command, and the variables that its shell sets."""
    for one in call.assignments:
        why = fixed or one.word.fixed
        span = variable_span(one)
        entry = Entry(
            part=part, kind="env", name=one.name, text=one.value, line=lines.at(span.start),
            span=None if why else span, fixed=why,
        )  # fmt: skip
        yield Slot(entry=entry, replace=partial(variable_edits, one), remove=partial(_unassigned, one))
    flags = flags_of(call)
    unsure = hidden_model(call, flags)
    for flag in flags:
        word = call.words[flag.place]
        why = fixed or word.fixed or call.words[flag.last if flag.text is not None else flag.place].fixed
        if unsure and flag.text is not None and not flag.glued:
            why = why or "the model is named nowhere else, so this may be it: put it right behind serve"
        span = flag_span(call, flag)
        entry = Entry(
            part=part, kind="flag", name=flag.name, text=flag.text, line=lines.at(word.span.start),
            span=None if why else span, fixed=why,
        )  # fmt: skip
        yield Slot(
            entry=entry,
            replace=partial(flag_edits, call, flag.name),
            remove=partial(removal_edits, call, flag.name),
        )


def _unassigned(one: Assignment) -> Iterable[Edit]:
    """Yield ways to take a variable out; an ``export`` stays, what would be left of it says something else."""
    return () if one.exported else removed_words(one.word, one.word)


def command_of(part: str, call: Call, lines: Lines) -> Command:
    """Return a command as documents have it."""
    return Command(
        part=part,
        words=tuple(_word(one, lines) for one in call.words),
        shell=call.in_shell,
        lost=tuple(_word(one, lines) for one in call.lost),
    )


def _word(one: CallWord, lines: Lines) -> Word:
    return Word(text=one.text, line=lines.at(one.span.start), span=None if one.fixed else one.span)


def with_reason(slot: Slot, fixed: str) -> Slot:
    """Return a slot that no edit reaches, and why."""
    return replace(slot, entry=replace(slot.entry, span=None, fixed=fixed))


def _said(node: Any) -> str | None:  # noqa: ANN401 - of ruamel.yaml
    """Return what a scalar says, None for nothing."""
    if str(node.tag) == _NULL and node.style is None and str(node.value) in {"", "~", "null", "Null", "NULL"}:
        return None
    return str(node.value)


_DEEPEST = 20

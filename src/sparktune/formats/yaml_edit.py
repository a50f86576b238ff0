"""Edits of a YAML text at its nodes: a value replaced, a key or an item added or taken out, all other bytes kept.

The functions yield edits to try; that a file then says what was meant is for their caller to see.

Source: YAML 1.2, block and flow collections; ruamel.yaml's marks, which count characters.
"""

__all__ = [
    "Sequence",
    "added_member",
    "ends_at",
    "item_edits",
    "line_edit",
    "removed_member",
    "scalar_edits",
]

import re
from collections.abc import Iterator
from collections.abc import Sequence as Words
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from sparktune.formats.yaml_scalar import Edit, located_scalar, scalar_forms, written_start

_NO_STRING = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool")


def _is_alias(node: Node, behind: int) -> bool:
    """Whether a node that should stand behind a place is an alias of one that stands elsewhere."""
    return bool(node.start_mark.index < behind)


def scalar_edits(text: str, key_end: int, node: Any, value: str) -> Iterator[Edit]:  # noqa: ANN401 - of ruamel.yaml
    """Yield ways to give the scalar behind a key (or item) that ends at ``key_end`` another value."""
    if not isinstance(node, ScalarNode) or _is_alias(node, key_end):
        return
    typed = str(node.tag) in _NO_STRING
    start, end = written_start(text, node), int(node.end_mark.index)
    if not text[start:end].strip():  # nothing behind the colon: the mark is that of what follows
        colon = text.find(":", key_end)
        if 0 <= colon <= start:
            for form in scalar_forms(value, None):
                yield Edit(start=colon + 1, end=colon + 1, text=f" {form}")
        return
    like: str | None = node.style or ""
    if node.style in {"|", ">"}:
        like, end = None, ends_at(text, node, key_end)
    for form in scalar_forms(value, like, typed=typed):
        yield Edit(start=start, end=end, text=form)


def item_edits(text: str, node: Any, prefix: str, value: str, *, named: bool) -> Iterator[Edit]:  # noqa: ANN401 - see above
    """Yield ways to change what stands behind ``prefix`` (``named``: it is there); else all of it is written anew."""
    located = located_scalar(text, node)
    if named and located.encode is not None and node.style not in {"|", ">"}:
        span = located.span(len(prefix), len(located.text))
        with suppress(ValueError):
            yield Edit(start=span.start, end=span.end, text=located.encode(value))
    yield from scalar_edits(text, int(node.start_mark.index), node, prefix + value)


def ends_at(text: str, node: Any, behind: int) -> int:  # noqa: ANN401 - of ruamel.yaml
    """Return the place behind the last character that belongs to a node; ``behind`` where that is not known."""
    if _is_alias(node, behind):
        line = text.find("\n", behind)
        return len(text) if line < 0 else line
    if isinstance(node, ScalarNode):
        return _scalar_end(text, node, behind)
    if node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    if isinstance(node, MappingNode):
        key_end = int(last[0].end_mark.index)
        return max(key_end + 1, ends_at(text, last[1], key_end))
    return ends_at(text, last, int(node.start_mark.index))


def _scalar_end(text: str, node: ScalarNode, behind: int) -> int:
    start, end = written_start(text, node), int(node.end_mark.index)
    if node.style not in {"|", ">"}:
        return end if text[start:end].strip() else behind
    return start + len(text[start:end].rstrip())


def line_edit(text: str, place: int, lines: Words[str]) -> Edit:
    """Return the edit that puts lines below the one in which a place is."""
    end = text.find("\n", place)
    if end < 0:
        ending = "\r\n" if "\r\n" in text else "\n"
        return Edit(start=len(text), end=len(text), text="".join(f"{ending}{line}" for line in lines))
    ending = "\r\n" if text[end - 1 : end] == "\r" else "\n"
    return Edit(start=end + 1, end=end + 1, text="".join(f"{line}{ending}" for line in lines))


def _indent(text: str, place: int) -> str | None:
    """Return the blanks before a place, None when something else is there."""
    before = text[text.rfind("\n", 0, place) + 1 : place].removeprefix("\ufeff")
    return None if before.strip(" ") else before


def added_member(text: str, node: MappingNode, key: str, forms: Words[str], behind: int = -1) -> Iterator[Edit]:
    """Yield ways to add ``key: form`` to a mapping; ``behind`` is the index of the member below which it reads best.

    A form that begins with a line end is a block of its own below the key.
    """
    if not node.value:
        for form in forms:
            if node.flow_style and text[node.start_mark.index] == "{":
                place = int(node.start_mark.index) + 1
                yield Edit(start=place, end=place, text=f"{key}: {form}")
        return
    first = node.value[0][0]
    for form in forms:
        if node.flow_style:
            yield from _into_flow(text, node, f"{key}: {form}", json_like=text[first.start_mark.index] == '"', key=key)
            continue
        indent = _indent(text, int(first.start_mark.index))
        if indent is not None:
            name, value = node.value[behind]
            key_end = int(name.end_mark.index)
            place = max(key_end, ends_at(text, value, key_end))
            rows = f"{key}:{'' if form[:1] == chr(10) else ' '}{form}".split("\n")
            yield line_edit(text, place, [f"{indent}{row}" for row in rows])


def _into_flow(text: str, node: MappingNode, member: str, *, json_like: bool, key: str) -> Iterator[Edit]:
    name, value = node.value[-1]
    if json_like:
        member = f'"{key}"{member[len(key) :]}'
    key_end = int(name.end_mark.index)
    if _is_alias(value, key_end):
        place = int(node.value[0][0].start_mark.index)
        if place > node.start_mark.index:
            yield Edit(start=place, end=place, text=f"{member}, ")
        return
    place = max(key_end, _scalar_end(text, value, key_end) if isinstance(value, ScalarNode) else value.end_mark.index)
    if place == key_end and text[place : place + 1] == ":":
        place += 1
    yield Edit(start=place, end=place, text=f", {member}")


def removed_member(text: str, node: MappingNode, place: int) -> Iterator[Edit]:
    """Yield ways to take a member out of a mapping."""
    key, value = node.value[place]
    key_end = int(key.end_mark.index)
    end = max(key_end, ends_at(text, value, key_end))
    if node.flow_style:
        nodes = [
            (int(one.start_mark.index), max(int(one.end_mark.index), ends_at(text, of, int(one.end_mark.index))))
            for one, of in node.value
        ]
        yield from _out_of_flow(nodes, place, text)
        return
    if _indent(text, int(key.start_mark.index)) is not None:
        yield _without_lines(text, int(key.start_mark.index), end)


def _out_of_flow(nodes: Words[tuple[int, int]], place: int, text: str) -> Iterator[Edit]:
    start, end = nodes[place]
    if place + 1 < len(nodes):
        yield Edit(start=start, end=nodes[place + 1][0], text="")
    elif place:
        yield Edit(start=nodes[place - 1][1], end=end + (text[end : end + 1] == ":"), text="")
    else:
        yield Edit(start=start, end=end + (text[end : end + 1] == ":"), text="")


def _without_lines(text: str, start: int, end: int) -> Edit:
    """Return the edit that takes whole lines out."""
    begin = text.rfind("\n", 0, start) + 1
    begin += text.startswith("\ufeff", begin)
    line_end = text.find("\n", end)
    if line_end >= 0:
        return Edit(start=begin, end=line_end + 1, text="")
    before = len(text[:begin].rstrip("\r\n")) if begin else 0
    return Edit(start=before, end=len(text), text="")


@dataclass(frozen=True, slots=True)
class Sequence:
    """The items of a list in a file: an ``ItemHolder``."""

    text: str
    node: SequenceNode

    def replaced(self, item: int, value: str) -> list[Edit]:
        """Return ways to give an item another value."""
        node = self.node.value[item]
        return list(scalar_edits(self.text, int(self.node.start_mark.index), node, value))

    def removed(self, first: int, last: int) -> list[Edit]:
        """Return ways to take items out."""
        nodes = self.node.value[first : last + 1]
        begin = int(self.node.start_mark.index)
        if any(_is_alias(one, begin) for one in nodes):
            return []
        if self.node.flow_style:
            spans = [(int(one.start_mark.index), int(one.end_mark.index)) for one in self.node.value]
            spans[first : last + 1] = [(spans[first][0], spans[last][1])]
            return list(_out_of_flow(spans, first, self.text))
        dash = self._dash(nodes[0])
        return [_without_lines(self.text, dash, ends_at(self.text, nodes[-1], begin))] if dash >= 0 else []

    def added(self, behind: int, values: Words[str]) -> list[Edit]:
        """Return ways to add items behind one."""
        node, begin = self.node.value[behind], int(self.node.start_mark.index)
        if _is_alias(node, begin):
            return []
        like = node.style if isinstance(node, ScalarNode) and node.style in {"'", '"'} else ""
        forms = [scalar_forms(one, like) for one in values]
        edits = []
        for number in range(max(map(len, forms))):
            items = [one[min(number, len(one) - 1)] for one in forms]
            if self.node.flow_style:
                place = int(node.end_mark.index)
                edits.append(Edit(start=place, end=place, text="".join(f", {one}" for one in items)))
                continue
            dash = self._dash(node)
            if dash >= 0:
                start = int(node.start_mark.index)
                lead = self.text[self.text.rfind("\n", 0, dash) + 1 : dash]
                gap = self.text[dash + 1 : start] or " "
                place = ends_at(self.text, node, begin)
                edits.append(line_edit(self.text, place, [f"{lead}-{gap}{one}" for one in items]))
        return edits

    def _dash(self, node: Any) -> int:  # noqa: ANN401 - of ruamel.yaml
        """Return where the dash of an item is, -1 when it does not begin its line."""
        start = int(node.start_mark.index)
        line = self.text.rfind("\n", 0, start) + 1
        found = re.compile(r"[ \ufeff]*-[ \t]+").match(self.text, line)
        return found.end() - len(found[0]) + found[0].index("-") if found and found.end() == start else -1

"""A compose file as a document: services, their variables, keys and commands, and how each could be edited.

Source: the compose specification (services; short and long forms; ``environment`` as map and as list; ``command`` and
``entrypoint`` as string, which compose splits into words, and as list); docker-compose's merge tags.
"""

__all__ = ["read_compose"]

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from sparktune.formats.broken import parsed_yaml
from sparktune.formats.compose_add import COMMANDS, Service, added_entry, same_but
from sparktune.formats.quoting import Dialect
from sparktune.formats.serving import Call, CallWord, served, words_of_text
from sparktune.formats.slots import Reading, Slot
from sparktune.formats.yaml_scalar import located_scalar
from sparktune.formats.yaml_slots import Member, YamlText, command_of, with_reason
from sparktune.model.document import Command, Document, Entry, NotThisFormat, Problem

_SECTIONS = frozenset({"services", "environment", "ulimits", "deploy", "volumes", "command"})


def read_compose(name: str, text: str) -> Reading:
    """Read a compose file. Raises NotThisFormat with line and hint."""
    data, root = parsed_yaml(text, _SECTIONS)
    if not isinstance(data, dict) or not isinstance(data.get("services"), dict) or not data["services"]:
        message = "no services in it"
        raise NotThisFormat(message, hint="a compose file has the key services, with a name for each below it")
    yaml = YamlText.of(text, root)
    services = {one.name: one for one in _services(yaml, root)}
    commands: list[Command] = [
        command_of(one.name, one.call, yaml.lines) for one in services.values() if one.call is not None
    ]
    slots = tuple(slot for one in services.values() for slot in one.slots)
    document = Document(
        format="compose",
        name=name,
        text=text,
        entries=tuple(one.entry for one in slots),
        commands=tuple(commands),
        problems=tuple(problem for one in services.values() for problem in one.problems),
    )
    return Reading(
        document=document,
        slots=slots,
        add=lambda part, kind, key, value: added_entry(yaml, services, part, kind, key, value),
        wholes=frozenset(COMMANDS),
        others=(data, {one.name: one.call.others for one in services.values() if one.call is not None}),
        same=same_but,
    )


def _services(yaml: YamlText, root: Any) -> Iterator[Service]:  # noqa: ANN401 - of ruamel.yaml
    for top in yaml.members(root):
        if top.name != "services":
            continue
        alias = top.value.start_mark.index < top.key.start_mark.index
        for member in yaml.members(top.value, top.fixed or ("its services are an alias" if alias else "")):
            if isinstance(member.value, MappingNode):
                yield _service(yaml, member)


def _service(yaml: YamlText, member: Member) -> Service:
    alias = member.value.start_mark.index < member.key.start_mark.index
    fixed = member.fixed or ("the service is an alias of another part, which others use" if alias else "")
    keys = {one.name: one for one in yaml.members(member.value, fixed)}
    found = Service(name=member.name, member=member, keys=keys)
    for key in keys.values():
        if key.name == "environment":
            found.slots += _environment(yaml, member.name, key)
        elif key.name in COMMANDS:
            found.slots += _command_key(yaml, member.name, key)
        elif not key.name.startswith("x-"):
            found.slots += yaml.scalars(member.name, "key", key)
    found.problems += _repeated(found.slots)
    _find_call(yaml, found)
    return found


def _repeated(slots: list[Slot]) -> Iterator[Problem]:
    """Tell variables that a list has twice; a map cannot."""
    entries = [one.entry for one in slots if one.entry.kind == "env"]
    last = {one.name: one for one in entries}
    for entry in entries:
        if last[entry.name] is not entry:
            message = f"{entry.name} is set again in line {last[entry.name].line}, and that one counts"
            yield Problem(line=entry.line, message=message, hint="take one of the two out")


def _fixed(yaml: YamlText, member: Member) -> str:
    if member.fixed:
        return member.fixed
    if member.value.start_mark.index < member.key.start_mark.index:
        return f"its {member.name} is an alias of another part"
    return yaml.why_fixed(member.value)


def _environment(yaml: YamlText, part: str, key: Member) -> Iterator[Slot]:
    node, fixed = key.value, _fixed(yaml, key)
    if str(node.tag) == "!reset":
        return
    if isinstance(node, MappingNode):
        for one in yaml.members(node, fixed):
            if isinstance(one.value, ScalarNode):
                yield yaml.member_slot(part, "env", one.name, one)
    elif isinstance(node, SequenceNode):
        for place, item in enumerate(node.value):
            if isinstance(item, ScalarNode):
                name = str(item.value).partition("=")[0]
                slot = yaml.item_slot(part, "env", name, f"{name}=", node, place)
                yield with_reason(slot, fixed) if fixed else slot


def _command_key(yaml: YamlText, part: str, key: Member) -> Iterator[Slot]:
    """Yield the whole command as a key, which says that it is there; its flags are entries of their own."""
    node = key.value
    if isinstance(node, SequenceNode):
        text = " ".join(str(one.value) for one in node.value if isinstance(one, ScalarNode))
        entry = Entry(
            part=part, kind="key", name=key.name, text=text, line=key.key.start_mark.line + 1,
            fixed="it is a list: set its flags one by one",
        )  # fmt: skip
        yield Slot(entry=entry, replace=lambda _: (), remove=tuple)
    elif isinstance(node, ScalarNode) and str(node.tag) != "!reset":
        yield yaml.member_slot(part, "key", key.name, key)


def _find_call(yaml: YamlText, found: Service) -> None:
    words: list[CallWord] = []
    lost: list[CallWord] = []
    for name in COMMANDS:
        member = found.keys.get(name)
        if member is None or str(member.value.tag) == "!reset":
            continue
        try:
            more, behind = _words(yaml, member)
        except ValueError as error:
            found.problems.append(_unreadable(yaml, member, error))
            return
        words += more
        lost += behind
    if not words:
        return
    try:
        call = served(words)
    except ValueError as error:
        found.problems.append(_unreadable(yaml, found.keys.get("command", found.keys.get("entrypoint")), error))
        return
    found.call = replace(call, lost=(*call.lost, *lost))
    found.slots += yaml.call_slots(found.name, found.call)
    found.problems += _odd_words(yaml, found.call)


def _words(yaml: YamlText, member: Member) -> tuple[tuple[CallWord, ...], tuple[CallWord, ...]]:
    node, fixed = member.value, _fixed(yaml, member)
    if isinstance(node, SequenceNode):
        return yaml.list_words(node, fixed), ()
    if not isinstance(node, ScalarNode) or node.tag == "tag:yaml.org,2002:null":
        return (), ()
    located = located_scalar(yaml.text, node)
    if fixed:
        located = replace(located, encode=None, fixed=fixed)
    return words_of_text(located, Dialect.COMPOSE)


def _unreadable(yaml: YamlText, member: Member | None, error: ValueError) -> Problem:
    place = getattr(error, "place", None)
    line = yaml.lines.at(place) if isinstance(place, int) else member.key.start_mark.line + 1 if member else 0
    return Problem(line=line, message=f"its command cannot be split into words: {error}", hint="close it in that line")


def _odd_words(yaml: YamlText, call: Call) -> Iterator[Problem]:
    for word in call.words:
        if (
            not call.in_shell
            and word.word is not None
            and word.text != word.text.strip()
            and word.word.style == "mixed"
        ):
            yield Problem(
                line=yaml.lines.at(word.span.start),
                message="a backslash before a blank or a line end becomes part of the word behind it",
                hint="compose continues lines without it: take the backslash out",
            )

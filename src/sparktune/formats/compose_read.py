"""A compose file as a document: services, their variables, keys and commands, and how each could be edited.

Source: the compose specification (services; short and long forms; ``environment`` as map and as list; ``command`` and
``entrypoint`` as string, which compose splits into words, and as list); docker-compose's merge tags.
"""

__all__ = ["read_compose"]

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from sparktune.formats.broken import parsed_yaml
from sparktune.formats.compose_yaml import same_data
from sparktune.formats.flag_edit import flag_edits
from sparktune.formats.quoting import Dialect
from sparktune.formats.serving import Call, CallWord, served, words_of_text
from sparktune.formats.slots import Reading, Slot
from sparktune.formats.yaml_edit import Sequence, added_member
from sparktune.formats.yaml_scalar import Edit, located_scalar, scalar_forms
from sparktune.formats.yaml_slots import Member, YamlText, command_of, with_reason
from sparktune.model.document import Command, Document, Entry, EntryKind, NotThisFormat, Problem

_SECTIONS = frozenset({"services", "environment", "ulimits", "deploy", "volumes", "command"})
_NEIGHBOURS = ("cpuset", "image", "container_name")  # below which a new key reads best
_COMMANDS = ("entrypoint", "command")
_EMPTY: tuple[Any, ...] = (None, {}, [])


_Rest: TypeAlias = tuple[Any, Mapping[str, tuple[str, ...]]]


@dataclass(slots=True)
class _Service:
    name: str
    member: Member
    keys: Mapping[str, Member]
    slots: list[Slot] = field(default_factory=list)
    call: Call | None = None
    problems: list[Problem] = field(default_factory=list)


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
        add=lambda part, kind, key, value: _added(yaml, services, part, kind, key, value),
        wholes=frozenset(_COMMANDS),
        others=(data, {one.name: one.call.others for one in services.values() if one.call is not None}),
        same=_same_but,
    )


def _services(yaml: YamlText, root: Any) -> Iterator[_Service]:  # noqa: ANN401 - of ruamel.yaml
    for top in yaml.members(root):
        if top.name != "services":
            continue
        alias = top.value.start_mark.index < top.key.start_mark.index
        for member in yaml.members(top.value, top.fixed or ("its services are an alias" if alias else "")):
            if isinstance(member.value, MappingNode):
                yield _service(yaml, member)


def _service(yaml: YamlText, member: Member) -> _Service:
    alias = member.value.start_mark.index < member.key.start_mark.index
    fixed = member.fixed or ("the service is an alias of another part, which others use" if alias else "")
    keys = {one.name: one for one in yaml.members(member.value, fixed)}
    found = _Service(name=member.name, member=member, keys=keys)
    for key in keys.values():
        if key.name == "environment":
            found.slots += _environment(yaml, member.name, key)
        elif key.name in _COMMANDS:
            found.slots += _command_key(yaml, member.name, key)
        elif not key.name.startswith("x-"):
            found.slots += yaml.scalars(member.name, "key", key)
    _find_call(yaml, found)
    return found


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


def _find_call(yaml: YamlText, found: _Service) -> None:
    words: list[CallWord] = []
    lost: list[CallWord] = []
    for name in _COMMANDS:
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


def _added(
    yaml: YamlText, services: Mapping[str, _Service], part: str, kind: EntryKind, name: str, value: str
) -> Iterator[Edit]:
    service = services.get(part)
    if service is None:
        message = f"{part}: no such service"
        raise ValueError(message)
    if service.member.value.start_mark.index < service.member.key.start_mark.index:
        message = f"{part}: it is an alias of another part, which others may use"
        raise ValueError(message)
    if kind == "flag":
        if service.call is not None:
            yield from flag_edits(service.call, name, value)
    elif kind == "env":
        yield from _new_variable(yaml, service, name, value)
    elif kind == "key":
        yield from _new_key(yaml, service, name, value)


def _new_variable(yaml: YamlText, service: _Service, name: str, value: str) -> Iterator[Edit]:
    member = service.keys.get("environment")
    own = service.member.value
    if member is not None and member.owner is own:
        node = member.value
        if node.start_mark.index < member.key.start_mark.index:
            return
        if isinstance(node, SequenceNode) and node.value:
            yield from Sequence(yaml.text, node).added(len(node.value) - 1, [f"{name}={value}"])
        elif isinstance(node, MappingNode):
            yield from added_member(yaml.text, node, name, scalar_forms(value, _style(node)))
        return
    forms = [f"{{{name}: {form}}}" for form in scalar_forms(value, '"')]
    if not own.flow_style and own.value:
        step = " " * max(2, own.value[0][0].start_mark.column - service.member.key.start_mark.column)
        forms = [f"\n{step}{name}: {form}" for form in scalar_forms(value, '"')]
    yield from added_member(yaml.text, own, "environment", forms, _neighbour(own))


def _style(node: MappingNode) -> str | None:
    """Return the quote of the last value, which a new one gets, too."""
    for _, value in reversed(node.value):
        if isinstance(value, ScalarNode) and value.style in {"'", '"'}:
            return str(value.style)
    return None


def _new_key(yaml: YamlText, service: _Service, name: str, value: str) -> Iterator[Edit]:
    own, fixed = service.member.value, False
    first, *rest = name.split(".")
    member = service.keys.get(first)
    if rest and member is not None and isinstance(member.value, MappingNode):
        fixed = member.owner is not own or member.value.start_mark.index < member.key.start_mark.index
        if not fixed and len(rest) == 1:
            yield from added_member(yaml.text, member.value, rest[0], scalar_forms(value, _style(member.value)))
        return
    if "[" in name or (member is not None and member.owner is own):
        return
    forms = [*scalar_forms(value, '"')]
    for inner in reversed(rest):
        forms = [f"{{{inner}: {form}}}" for form in forms]
    yield from added_member(yaml.text, own, first, forms, _neighbour(own))


def _neighbour(node: MappingNode) -> int:
    """Return the index of the member below which a new key reads best."""
    one_line = {
        key.value: place
        for place, (key, value) in enumerate(node.value)
        if isinstance(key, ScalarNode) and isinstance(value, ScalarNode) and value.end_mark.line == key.start_mark.line
    }
    return next((one_line[one] for one in _NEIGHBOURS if one in one_line), len(node.value) - 1)


def _same_but(mine: object, theirs: object, wanted: tuple[str, str, str]) -> bool:
    """Whether two files say the same, but for an entry of a service."""
    (data, commands), (new, others) = cast("_Rest", mine), cast("_Rest", theirs)
    whole = wanted[1] == "key" and wanted[2] in _COMMANDS
    return (whole or commands == others) and same_data(_stripped(data, wanted), _stripped(new, wanted))


def _stripped(data: Any, wanted: tuple[str, str, str]) -> Any:  # noqa: ANN401 - what the file's author wrote
    part, kind, name = wanted
    services = dict(data["services"])
    found = next((key for key in services if str(key) == part), None)
    if found is None or not isinstance(services[found], dict):
        return data
    service = dict(services[found])
    if kind != "key":  # it may be in a command, whose words are compared one by one
        for key in _COMMANDS:
            service.pop(key, None)
    if kind == "env":
        service["environment"] = _without_variable(service.get("environment"), name)
        if not service["environment"]:
            del service["environment"]
    elif kind == "key":
        _drop(service, name.split("."))
        if service.get(name.partition(".")[0], "") in _EMPTY:  # what stood below it was the last
            del service[name.partition(".")[0]]
    services[found] = service
    return {**data, "services": services}


def _without_variable(value: Any, name: str) -> Any:  # noqa: ANN401 - see above
    if isinstance(value, dict):
        return {key: one for key, one in value.items() if str(key) != name}
    if isinstance(value, list):
        return [one for one in value if str(one).partition("=")[0] != name]
    return value


def _drop(mapping: dict[Any, Any], path: list[str]) -> None:
    first = path[0].partition("[")[0]
    if len(path) == 1 or "[" in path[0]:
        mapping.pop(first, None)
        return
    inner = mapping.get(first)
    if isinstance(inner, dict):
        mapping[first] = dict(inner)
        _drop(mapping[first], path[1:])
        if not mapping[first]:
            del mapping[first]

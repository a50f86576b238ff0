"""What an edit of a compose file adds, and how two files are compared but for an entry.

Source: the compose specification: ``environment`` as map and as list.
"""

__all__ = ["COMMANDS", "Service", "added_entry", "neighbour", "same_but"]

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from sparktune.formats.compose_yaml import same_data
from sparktune.formats.flag_edit import flag_edits
from sparktune.formats.serving import Call
from sparktune.formats.slots import Slot
from sparktune.formats.yaml_edit import Sequence, added_member, line_edit
from sparktune.formats.yaml_scalar import Edit, scalar_forms
from sparktune.formats.yaml_slots import Member, YamlText
from sparktune.model.document import EntryKind, Problem

_Rest: TypeAlias = tuple[Any, Mapping[str, tuple[str, ...]]]
_NEIGHBOURS = ("cpuset", "image", "container_name")  # below which a new key reads best
COMMANDS = ("entrypoint", "command")
_EMPTY: tuple[Any, ...] = (None, {}, [])


@dataclass(slots=True)
class Service:
    """A service while it is read: ``keys`` with merged ones, ``call`` what it starts."""

    name: str
    member: Member
    keys: Mapping[str, Member]
    slots: list[Slot] = field(default_factory=list)
    call: Call | None = None
    problems: list[Problem] = field(default_factory=list)


def added_entry(
    yaml: YamlText, services: Mapping[str, Service], part: str, kind: EntryKind, name: str, value: str
) -> Iterator[Edit]:
    """Yield ways to write a new entry. Raises ValueError where there is no place for it."""
    service = services.get(part)
    if service is None:
        message = f"{part}: no such service"
        raise ValueError(message)
    if service.member.value.start_mark.index < service.member.key.start_mark.index:
        message = f"{part}: it is an alias of another part, which others may use"
        raise ValueError(message)
    if kind == "flag":
        if service.call is None:
            message = f"{part}: it has no command here that a flag could be added to"
            raise ValueError(message)
        yield from flag_edits(service.call, name, value)
    elif kind == "env":
        yield from _new_variable(yaml, service, name, value)
    elif kind == "key":
        yield from _new_key(yaml, service, name, value)


def _new_variable(yaml: YamlText, service: Service, name: str, value: str) -> Iterator[Edit]:
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
        elif isinstance(node, ScalarNode) and not str(node.value) and not own.flow_style:
            yield from _first_variable(yaml, service, member, name, value)
        return
    forms = [f"{{{name}: {form}}}" for form in scalar_forms(value, '"')]
    if not own.flow_style and own.value:
        step = " " * max(2, own.value[0][0].start_mark.column - service.member.key.start_mark.column)
        forms = [f"\n{step}{name}: {form}" for form in scalar_forms(value, '"')]
    yield from added_member(yaml.text, own, "environment", forms, neighbour(own))


def _first_variable(yaml: YamlText, service: Service, member: Member, name: str, value: str) -> Iterator[Edit]:
    """Yield ways to write a variable below a key that says nothing yet."""
    column = member.key.start_mark.column
    step = max(2, column - service.member.key.start_mark.column)
    for form in scalar_forms(value, '"'):
        yield line_edit(yaml.text, member.key.end_mark.index, [f"{' ' * (column + step)}{name}: {form}"])


def _style(node: MappingNode) -> str | None:
    """Return the quote of the last value, which a new one gets, too."""
    for _, value in reversed(node.value):
        if isinstance(value, ScalarNode) and value.style in {"'", '"'}:
            return str(value.style)
    return None


def _new_key(yaml: YamlText, service: Service, name: str, value: str) -> Iterator[Edit]:
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
    yield from added_member(yaml.text, own, first, forms, neighbour(own))


def neighbour(node: MappingNode) -> int:
    """Return the index of the member below which a new key reads best."""
    one_line = {
        key.value: place
        for place, (key, value) in enumerate(node.value)
        if isinstance(key, ScalarNode) and isinstance(value, ScalarNode) and value.end_mark.line == key.start_mark.line
    }
    return next((one_line[one] for one in _NEIGHBOURS if one in one_line), len(node.value) - 1)


def same_but(mine: object, theirs: object, wanted: tuple[str, str, str]) -> bool:
    """Whether two files say the same, but for an entry of a service."""
    (data, commands), (new, others) = cast("_Rest", mine), cast("_Rest", theirs)
    whole = wanted[1] == "key" and wanted[2] in COMMANDS
    return (whole or commands == others) and same_data(_stripped(data, wanted), _stripped(new, wanted))


def _stripped(data: Any, wanted: tuple[str, str, str]) -> Any:  # noqa: ANN401 - what the file's author wrote
    part, kind, name = wanted
    services = dict(data["services"])
    found = next((key for key in services if str(key) == part), None)
    if found is None or not isinstance(services[found], dict):
        return data
    service = dict(services[found])
    if kind != "key":  # it may be in a command, whose words are compared one by one
        for key in COMMANDS:
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

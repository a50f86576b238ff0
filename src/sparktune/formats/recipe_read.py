"""A sparkrun recipe as a document: what it is, its defaults, its variables and its command.

Source: sparkrun's RECIPES.md for the keys and for ``{placeholder}``, which stays as it is here; sparkrun repairs blanks
between a backslash and the line end, and so does this.
"""

__all__ = ["read_recipe"]

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ruamel.yaml.nodes import MappingNode, ScalarNode

from sparktune.formats.broken import parsed_yaml
from sparktune.formats.compose_yaml import same_data
from sparktune.formats.flag_edit import flag_edits
from sparktune.formats.located import Located
from sparktune.formats.serving import Call, served_script
from sparktune.formats.slots import Reading, Slot
from sparktune.formats.yaml_edit import added_member
from sparktune.formats.yaml_scalar import Edit, located_scalar, scalar_forms
from sparktune.formats.yaml_slots import Member, YamlText, command_of
from sparktune.model.document import Document, EntryKind, NotThisFormat, Problem

_SECTIONS = frozenset({"defaults", "env", "command", "metadata", "executor_config", "runtime_config"})
_KNOWN = frozenset({"recipe_version", "sparkrun_version", "model", "runtime", "container", "defaults", "command"})
_MAPS: Mapping[str, EntryKind] = {"defaults": "default", "env": "env"}


def read_recipe(name: str, text: str) -> Reading:
    """Read a recipe. Raises NotThisFormat with line and hint."""
    data, root = parsed_yaml(text, _SECTIONS)
    if not isinstance(data, dict) or not _KNOWN.intersection(map(str, data)):
        message = "no recipe: it has none of the keys model, runtime, container, defaults and command"
        raise NotThisFormat(message, hint="name the file that sparkrun run takes")
    yaml = YamlText.of(text, root)
    keys = {one.name: one for one in yaml.members(root)}
    slots = [slot for one in keys.values() for slot in _slots(yaml, one)]
    call, problems = _call(yaml, keys.get("command"))
    if call is not None:
        slots += yaml.call_slots("", call)
    document = Document(
        format="recipe",
        name=name,
        text=text,
        entries=tuple(one.entry for one in slots),
        commands=(command_of("", call, yaml.lines),) if call is not None else (),
        problems=tuple(problems),
    )
    return Reading(
        document=document,
        slots=tuple(slots),
        add=lambda _, kind, key, value: _added(yaml, root, keys, call, kind, key, value),
        wholes=frozenset({"command"}),
        others=(data, call.others if call else ()),
        same=_same_but,
    )


def _slots(yaml: YamlText, member: Member) -> Iterator[Slot]:
    kind = _MAPS.get(member.name)
    if kind is None or not isinstance(member.value, MappingNode):
        yield from yaml.scalars("", "key", member)
        return
    alias = member.value.start_mark.index < member.key.start_mark.index
    for one in yaml.members(member.value, f"its {member.name} are an alias of another part" if alias else ""):
        yield from yaml.scalars("", kind, one)


def _call(yaml: YamlText, member: Member | None) -> tuple[Call | None, list[Problem]]:
    if member is None or not isinstance(member.value, ScalarNode) or not str(member.value.value).strip():
        return None, []
    located = located_scalar(yaml.text, member.value)
    fixed = yaml.why_fixed(member.value, member.fixed)
    if fixed:
        located = replace(located, encode=None, fixed=fixed)
    source, places = _repaired(located)
    problems = [
        Problem(
            line=yaml.lines.at(place),
            message="blanks behind the backslash: a shell does not continue the line; sparkrun repairs it",
            hint="take the blanks out",
        )
        for place in places
    ]
    try:
        return served_script(source), problems
    except ValueError as error:
        place = getattr(error, "place", None)
        line = yaml.lines.at(place) if isinstance(place, int) else yaml.line(member.value)
        hint = "close it in that line"
        return None, [
            *problems,
            Problem(line=line, message=f"its command cannot be split into words: {error}", hint=hint),
        ]


def _repaired(source: Located) -> tuple[Located, list[int]]:
    """Return a command without blanks between a backslash and a line end, and where there were some."""
    text, left, places = source.text, [], []
    place = 0
    while place < len(text):
        left.append(place)
        place += 1
        if text[place - 1] == "\\":
            end = place
            while end < len(text) and text[end] in " \t":
                end += 1
            if place < end < len(text) and text[end] == "\n":
                places.append(source.starts[place - 1])
                place = end
    if not places:
        return source, []
    return replace(
        source,
        text="".join(text[one] for one in left),
        starts=tuple(source.starts[one] for one in left),
        ends=tuple(source.ends[one] for one in left),
    ), places


def _added(
    yaml: YamlText,
    root: MappingNode,
    keys: Mapping[str, Member],
    call: Call | None,
    kind: EntryKind,
    name: str,
    value: str,
) -> Iterator[Edit]:
    if kind == "flag":
        if call is not None:
            yield from flag_edits(call, name, value)
        return
    section = {"default": "defaults", "env": "env"}.get(kind)
    if section is None:
        if "." not in name and "[" not in name and name not in keys:
            yield from added_member(yaml.text, root, name, scalar_forms(value, None, typed=True))
        return
    member = keys.get(section)
    if member is None:
        forms = [f"\n  {name}: {form}" for form in _forms(value, kind)]
        yield from added_member(yaml.text, root, section, forms, _before_command(root))
    elif isinstance(member.value, MappingNode) and member.value.start_mark.index > member.key.start_mark.index:
        yield from added_member(yaml.text, member.value, name, _forms(value, kind))


def _forms(value: str, kind: EntryKind) -> tuple[str, ...]:
    """Return ways to write a value; a default that is a number stays one, a variable is text."""
    return scalar_forms(value, "'" if kind == "env" else None, typed=kind == "default")


def _before_command(root: MappingNode) -> int:
    names = [str(key.value) for key, _ in root.value]
    return names.index("command") - 1 if "command" in names[1:] else len(names) - 1


def _same_but(mine: Any, theirs: Any, wanted: tuple[str, str, str]) -> bool:  # noqa: ANN401 - what the file's author wrote
    (data, others), (new, after) = mine, theirs
    _, kind, name = wanted
    if kind in {"flag", "env"} and others != after:
        return False
    return same_data(_stripped(data, kind, name), _stripped(new, kind, name))


def _stripped(data: Any, kind: str, name: str) -> Any:  # noqa: ANN401 - see above
    data = dict(data)
    if kind in {"flag", "env"}:
        data.pop("command", None)
    section = {"default": "defaults", "env": "env"}.get(kind)
    path = [section, *name.split(".")] if section else name.split(".")
    return _dropped(data, path)


def _dropped(data: Any, path: list[str]) -> Any:  # noqa: ANN401 - see above
    first = path[0].partition("[")[0]
    if not isinstance(data, dict) or first not in data:
        return data
    data = dict(data)
    if len(path) == 1 or "[" in path[0]:
        del data[first]
        return data
    data[first] = _dropped(data[first], path[1:])
    if not data[first]:
        del data[first]
    return data

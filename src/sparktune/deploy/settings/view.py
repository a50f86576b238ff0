"""Files that were read -> what lint looks at: every server that they start, with all of its settings filled in."""

__all__ = ["engine_of", "view_of"]

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sparktune.deploy.settings.environment import with_environment
from sparktune.deploy.settings.filling import filled_by_compose, filled_by_shell, filled_by_systemd
from sparktune.deploy.settings.grammars import all_grammars, grammar_of
from sparktune.deploy.settings.normal import Normal, normal_form, options_at
from sparktune.deploy.settings.recipe import read_recipe
from sparktune.deploy.settings.recipe_render import rendered
from sparktune.deploy.settings.together import together
from sparktune.deploy.settings.variables import filling, process_variables, value_setting
from sparktune.engines import engine_of_image
from sparktune.formats.interpolation import filled
from sparktune.formats.located import Lines
from sparktune.formats.serving import served_script
from sparktune.formats.yaml_slots import command_of
from sparktune.model.document import Command, Document
from sparktune.model.lint import LintView, Part
from sparktune.model.node import NodeFacts
from sparktune.model.setting import Layer, Origin, Setting

_RUNTIMES = {"sglang": "sglang", "llama-cpp": "llamacpp", "trtllm": "tensorrt-llm"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _World:
    """What all parts have in common: ``fill`` is what ``${NAME}`` stands for, ``configs`` files of options by name."""

    documents: Sequence[Document]
    fill: Mapping[str, str]
    configs: Mapping[str, str] = field(default_factory=dict)


def view_of(
    documents: Sequence[Document],
    *,
    variables: Mapping[str, str] | None = None,
    nodes: Sequence[NodeFacts] = (),
    configs: Mapping[str, str] | None = None,
    tools: Mapping[str, object] | None = None,
) -> LintView:
    """Return the view of some files. ``variables`` are the caller's, which win over those of files.

    ``configs`` are texts of files that an engine's ``--config`` names, by that name; ``tools`` as LintView has them.
    """
    world = _World(documents=tuple(documents), fill=filling(documents, variables or {}), configs=dict(configs or {}))
    return LintView(
        documents=tuple(documents),
        parts=tuple(part for sources in together(documents) for part in _parts(sources, world)),
        nodes=tuple(nodes),
        variables=world.fill,
        tools=dict(tools or {}),
    )


def engine_of(command: Command | None, image: str, runtime: str = "") -> str:
    """Return the id of the engine that a command, an image or a recipe's runtime names, "" where none does."""
    words = command.words if command is not None else ()
    for grammar in all_grammars():
        if options_at(words, grammar):
            return grammar.engine
    if runtime:
        return "vllm" if "vllm" in runtime else _RUNTIMES.get(runtime, "")
    return engine_of_image(image, [word.text for word in words[:2]]) or ""


def _parts(sources: Sequence[Document], world: _World) -> Iterator[Part]:
    first = sources[0]
    if first.format == "recipe":
        yield _recipe(first, world)
        return
    commands = [(one, command) for one in sources for command in one.commands]
    names = dict.fromkeys(entry.part for one in sources for entry in one.entries)
    if first.format != "compose":
        names = {command.part: None for _, command in commands}
    for name in names:
        said = [(one, command) for one, command in commands if command.part == name]
        document, written = said[-1] if said else (next(one for one in sources if _has(one, name)), None)
        yield _part(sources, document, name, written, world)


def _has(document: Document, part: str) -> bool:
    return any(entry.part == part for entry in document.entries)


def _part(sources: Sequence[Document], document: Document, name: str, written: Command | None, world: _World) -> Part:
    environment = process_variables(sources, name, world.documents, world.fill)
    keys = _keys(sources, name, world)
    image = str(keys["image"].value or "") if "image" in keys else ""
    command = written
    if command is not None:
        values = {key: str(one.value) for key, one in environment.items() if one.value is not None}
        command = _filled(command, document, values, world)
    part = Part(
        document=document, name=name, engine=engine_of(command, image), image=image, settings={},
        environment=environment, keys=keys, command=command, written=written,
    )  # fmt: skip
    return _with_settings(part, world)


def _keys(sources: Sequence[Document], name: str, world: _World) -> dict[str, Setting]:
    found = {}
    for one in sources:
        for entry in one.entries:
            if entry.part == name and entry.kind == "key":
                fill = one.format == "compose" and entry.text is not None
                text = filled(entry.text or "", world.fill) if fill else entry.text
                found[entry.name] = value_setting(entry, one, text, f"key.{entry.name}")
    return found


def _filled(command: Command, document: Document, values: Mapping[str, str], world: _World) -> Command:
    compose = document.format == "compose"
    if compose:
        command = filled_by_compose(command, document.text, world.fill)
    if document.format == "unit":
        command = filled_by_systemd(command, values)
    if command.shell:
        command = filled_by_shell(command, document.text, values if compose else {**world.fill, **values})
    return command


def _recipe(document: Document, world: _World) -> Part:
    recipe = read_recipe(document.text)
    environment = process_variables((document,), "", world.documents, world.fill)
    keys = _keys((document,), "", world)
    command = None
    if recipe is not None:
        located = rendered(recipe).located
        try:
            command = command_of("", served_script(located), Lines(document.text))
        except ValueError:  # a quote is left open, which the document's problems say
            command = None
    image = str(keys["container"].value or "") if "container" in keys else ""
    part = Part(
        document=document, name="", engine=engine_of(command, image, recipe.runtime if recipe else ""), image=image,
        settings={}, environment=environment, keys=keys, command=command, written=next(iter(document.commands), None),
    )  # fmt: skip
    return _with_settings(part, world)


def _with_settings(part: Part, world: _World) -> Part:
    grammar = grammar_of(part.engine)
    normal = Normal(settings=())
    if grammar is not None and part.command is not None:
        origin = Origin(layer=Layer.FILE, place=part.document.name)
        normal = normal_form(part.command.words, grammar, origin=origin, part=part.name, configs=world.configs)
    normal = with_environment(normal, part.environment.values(), grammar)
    settings: Mapping[str, Setting] = {one.key: one for one in (*part.keys.values(), *normal.settings)}
    return replace(part, settings=settings, dropped=normal.dropped)

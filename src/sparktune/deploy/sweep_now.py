"""What runs before a sweep: the words and variables of the server's command, as its launcher finds them."""

__all__ = ["Now", "engine_of_words", "now_of", "view_now"]

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sparktune.deploy.arm_planner import ArmPlanner
from sparktune.deploy.compose_edits import before
from sparktune.deploy.compose_seen import compose_service
from sparktune.deploy.launchers._shared import argv_of
from sparktune.deploy.settings.environment import env_setting, with_environment
from sparktune.deploy.settings.grammars import all_grammars, grammar_of
from sparktune.deploy.settings.normal import normal_form, options_at
from sparktune.deploy.settings.view import view_of
from sparktune.deploy.sweep_command import command_flags
from sparktune.deploy.sweep_words import arm_of
from sparktune.deploy.texts import document
from sparktune.deploy.unit_edits import flags_before
from sparktune.deploy.unit_seen import unit_of
from sparktune.model.document import Word
from sparktune.model.launcher import LiveService
from sparktune.model.lint import LintView
from sparktune.model.reads import Readings
from sparktune.model.setting import Layer, Origin, Value
from sparktune.model.sweep import KnobRange


@dataclass(frozen=True, slots=True, kw_only=True)
class Now:
    """``flags`` by their names as written, "" or None without a value; ``environment`` as far as it is known.

    ``values`` are the same in normal form, empty where the engine is not known.
    """

    flags: Mapping[str, str | None] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Value] = field(default_factory=dict)


def now_of(planner: ArmPlanner, engine: str, ranges: Sequence[KnobRange] = ()) -> Now:
    """Return how the baseline (arm A) is started, empty where that is unseen. Raises ValueError, as launchers do.

    Of a service that is started by a script only what the knobs of ``ranges`` set is known.
    """
    own = planner.spec.arms.get("A", {})
    if planner.launcher == "command":
        words = argv_of(own.get("command"), "baseline: command")
        environment = {str(name): str(value) for name, value in (own.get("env") or {}).items()}
        return Now(
            flags=command_flags(words, engine), environment=environment, values=_values(words, environment, engine)
        )
    flags, environment = _of_script(planner, engine, ranges) if planner.launcher == "script" else _of_service(planner)
    flags |= {str(name): None if said in (None, True) else str(said) for name, said in (own.get("flags") or {}).items()}
    environment |= {str(name): str(said) for name, said in (own.get("env") or {}).items() if said is not None}
    words = tuple(word for name, said in flags.items() for word in ((name, said) if said else (name,)))
    return Now(flags=flags, environment=environment, values=_values(words, environment, engine))


def view_now(planner: ArmPlanner) -> LintView | None:
    """Return what lint sees of the files that start the baseline; None where they were not seen, or cannot be read."""
    try:
        documents = tuple(document(*text) for text in _texts(planner))
    except ValueError:
        return None
    return view_of(documents) if documents else None


def engine_of_words(words: tuple[str, ...]) -> str:
    """Return the engine that a command starts, "" where no known command is in it."""
    told = [Word(text=word, line=0) for word in words]
    return next((grammar.engine for grammar in all_grammars() if options_at(told, grammar)), "")


def _texts(planner: ArmPlanner) -> Iterator[tuple[str, str, str]]:
    """Yield kind, name and text of the files of the service's first part, or of its command."""
    if planner.launcher == "command":
        yield "command", "baseline", shlex.join(argv_of(planner.spec.arms["A"].get("command"), "baseline: command"))
    where = planner.spec.where[0] if planner.spec.where else {}
    readings = planner.seen.get(str(where.get("node") or ""), Readings())
    if planner.launcher == "compose":
        service = compose_service(where, readings)
        yield from (("compose", path, text) for path in service.files if (text := service.texts.get(path)))
    if planner.launcher == "systemd":
        unit = unit_of(where, readings)
        yield from (("unit", path, text) for path in unit.files if (text := unit.texts.get(path)))


def _of_service(planner: ArmPlanner) -> tuple[dict[str, str | None], dict[str, str]]:
    """Return flags and variables of the service's first part, which serves."""
    where = planner.spec.where[0] if planner.spec.where else {}
    readings = planner.seen.get(str(where.get("node") or ""), Readings())
    if planner.launcher == "compose":
        service = compose_service(where, readings)
        told = {name: value for name, value in service.environment.items() if value is not None}
        return before(service, "flag"), told
    if planner.launcher == "systemd":
        unit = unit_of(where, readings)
        return flags_before(unit, ()), dict(unit.environment)
    return {}, {}


def _of_script(
    planner: ArmPlanner, engine: str, ranges: Sequence[KnobRange]
) -> tuple[dict[str, str | None], dict[str, str]]:
    """Return what the script's files say: the launcher wants of arm A what another arm sets, as it is there now."""
    asked = arm_of({one.knob: one.values[0] for one in ranges}, engine, {})
    spec = replace(planner.spec, arms={"A": planner.spec.arms["A"], "asked": asked})
    readers = replace(planner, spec=spec).plan("A").readers
    live = next((one for one in readers if isinstance(one, LiveService)), None)
    if live is None:
        return {}, {}
    flags = {name: said for name, said in live.flags.items() if said is not None}
    return dict(flags), {name: said for name, said in live.environment.items() if said is not None}


def _values(words: tuple[str, ...], environment: Mapping[str, str], engine: str) -> Mapping[str, Value]:
    grammar = grammar_of(engine)
    if grammar is None:
        return {}
    origin = Origin(layer=Layer.FILE, place="baseline")
    normal = normal_form([Word(text=word, line=0) for word in words], grammar, origin=origin)
    variables = [env_setting(name, text, origin) for name, text in environment.items()]
    return with_environment(normal, variables, grammar).values

"""A configuration of a sweep -> the settings of an arm: flags, variables and keys as the service's engine has them."""

__all__ = ["arm_of", "setting_keys", "with_baselines"]

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sparktune.deploy.knobs import all_knobs
from sparktune.deploy.settings.grammars import grammar_of
from sparktune.deploy.settings.spelling import named
from sparktune.deploy.settings.values import member_of
from sparktune.errors import UsageError
from sparktune.model.knob import Knob, Place
from sparktune.model.setting import Grammar, Option, Value
from sparktune.model.sweep import KnobRange

_ORDER: Final = ("flag", "env", "compose")
_SECTIONS: Final = {"flag": "flags", "env": "env", "compose": "keys"}
_UNSAID: Final = "engine decides"
_MAPS: Final = {"cudagraph_capture_sizes": ("compilation_config", "cudagraph_capture_sizes")}
_Arm = dict[str, dict[str, Any]]


def arm_of(values: Mapping[str, str], engine: str, flags: Mapping[str, str | None]) -> _Arm:
    """Return ``{"flags": {...}, "env": {...}, "keys": {...}}``, without sections that say nothing.

    ``flags`` are those of the command as it runs now, by their names as written. A member of a map is set inside the
    map where that is given as JSON: a dotted option beside it would drop the whole map. None takes a flag away, True
    gives one without a value. Raises UsageError for a knob that this engine is not started with.
    """
    arm: _Arm = {}
    now = dict(flags)
    for knob, value in values.items():
        for section, name, said in _words(knob, value, engine, now):
            arm.setdefault(section, {})[name] = said
            if section == "flags" and isinstance(said, str):
                now[name] = said  # the next member of the same map goes into what this one left
    return arm


def setting_keys(knob: str, engine: str) -> tuple[str, ...]:
    """Return the keys by which a knob's value is found among settings in normal form, the likeliest first."""
    kind, sign, bare = knob.partition(":")
    grammar = grammar_of(engine)
    if sign and kind == "env":
        return (f"env.{bare}",)
    if sign:
        return (_key(bare, grammar),)
    found = next((one for one in all_knobs() if one.id == knob), None)
    places = _places(found, engine) if found is not None else ()
    return tuple(dict.fromkeys(_key_of(place, grammar) for place in places))


def with_baselines(ranges: Sequence[KnobRange], values: Mapping[str, Value], engine: str) -> tuple[KnobRange, ...]:
    """Return the ranges with what runs now, from settings in normal form; what is not among them stays as it is."""
    return tuple(replace(one, baseline=one.baseline or _baseline(one.knob, values, engine)) for one in ranges)


def _baseline(knob: str, values: Mapping[str, Value], engine: str) -> str:
    for key in setting_keys(knob, engine):
        if key in values and values[key] is not None:
            return _text(values[key])
    return ""


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ",".join(_text(one) for one in value)
    return json.dumps(value) if isinstance(value, Mapping) else str(value)


def _words(knob: str, value: str, engine: str, now: Mapping[str, str | None]) -> Iterator[tuple[str, str, Any]]:
    kind, sign, bare = knob.partition(":")
    if sign and kind == "env":
        yield "env", bare, value
        return
    if sign:
        yield from _flag(bare, value, grammar_of(engine), now)
        return
    found = next((one for one in all_knobs() if one.id == knob), None)
    places = [place for place in _places(found, engine) if place.kind in _SECTIONS] if found is not None else []
    if not places:
        message = f"{knob}: there is no known way to set it on {engine or 'an unknown engine'}"
        raise UsageError(message, hint=f"where it is set: sparktune knobs show {knob}; or write flag:--x= or env:X=")
    place = min(places, key=lambda one: _ORDER.index(one.kind))
    if place.kind == "flag":
        yield from _flag(place.name, value, grammar_of(engine), now)
    else:
        yield _SECTIONS[place.kind], place.name, value


def _places(knob: Knob, engine: str) -> tuple[Place, ...]:
    # A flag of no engine is one of docker's: what a service is started with says the same by a key of its own.
    return tuple(
        place for place in knob.places if place.engine == engine or (not place.engine and place.kind != "flag")
    )


def _flag(
    flag: str, value: str, grammar: Grammar | None, now: Mapping[str, str | None]
) -> Iterator[tuple[str, str, Any]]:
    option = named(flag, grammar).option if grammar is not None else None
    path = named(flag, grammar).path if grammar is not None else ()
    if option is not None and option.name in _MAPS:
        yield "flags", _as_given(option, grammar, now) or option.flag, None
        head, member = _MAPS[option.name]
        text = value if value.startswith("[") else f"[{value}]"
        yield from _member(f"--{head.replace('_', '-')}", (member,), text, grammar, now)
    elif path:
        yield from _member(flag.partition(".")[0], path, value, grammar, now)
    elif option is not None and option.kind in {"switch", "tristate"}:
        yield from _switch(option, value)
    else:
        yield "flags", (_as_given(option, grammar, now) if option is not None else "") or flag, value


def _switch(option: Option, value: str) -> Iterator[tuple[str, str, Any]]:
    no = f"--no-{option.flag.removeprefix('--')}" if option.kind == "tristate" else next(iter(option.off), "")
    yield "flags", option.flag, True if value == "on" else None
    if no:
        yield "flags", no, True if value == "off" else None


def _member(
    head: str, path: Sequence[str], value: str, grammar: Grammar | None, now: Mapping[str, str | None]
) -> Iterator[tuple[str, str, Any]]:
    """Yield a member of a map: inside the JSON where the map is given so, else as a dotted option."""
    option = named(head, grammar).option if grammar is not None else None
    given = (_as_given(option, grammar, now) if option is not None else "") or head
    whole = _json_map(now.get(given))
    if whole is None:
        yield "flags", ".".join((head, *path)), value
        return
    inner = whole
    for step in path[:-1]:
        inner = inner.setdefault(step, {})
    inner[path[-1]] = member_of(value, {})
    yield "flags", given, json.dumps(whole, separators=(",", ":"))


def _as_given(option: Option, grammar: Grammar | None, now: Mapping[str, str | None]) -> str:
    """Return the spelling of an option in the command as it is, "" where it is not given."""
    if grammar is None:
        return ""
    return next((flag for flag in now if flag.startswith("-") and _same(flag, option, grammar)), "")


def _same(flag: str, option: Option, grammar: Grammar) -> bool:
    found = named(flag, grammar)
    return found.option is option and not found.path and not found.off


def _json_map(text: str | None) -> dict[str, Any] | None:
    try:
        found = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _key_of(place: Place, grammar: Grammar | None) -> str:
    if place.kind == "flag":
        return _key(place.name, grammar)
    if place.kind == "env":
        twin = next((one.name for one in grammar.options if one.variable == place.name), "") if grammar else ""
        return twin or f"env.{place.name}"
    return f"key.{place.name}" if place.kind == "compose" else place.name


def _key(flag: str, grammar: Grammar | None) -> str:
    if grammar is None:
        return flag.lstrip("-").replace("-", "_")
    found = named(flag, grammar)
    key = ".".join((found.name, *found.path))
    return grammar.same.get(key, key)

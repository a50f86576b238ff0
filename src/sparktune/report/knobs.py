"""The catalogue of knobs as people and programs read it."""

__all__ = ["knob_json", "knob_text", "knobs_json", "knobs_text"]

import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sparktune.model.knob import Effect, Knob, Place

_SCHEMA = 1
_INDENT = "  "
_MOST_PLACES = 2
_LEAST_PROSE = 30  # columns: below it words stand out of theirs
_KINDS = {
    "flag": "flag",
    "env": "variable",
    "compose": "compose key",
    "recipe": "recipe field",
    "host": "host setting",
    "request": "request field",
}


def knobs_text(knobs: Sequence[Knob], width: int) -> str:
    """Return one line or two per knob: its name, what a change costs, what it is, and where it is set."""
    if not knobs:
        return "no such knob\n"
    name = max(len(knob.id) for knob in knobs)
    stacked = width - len(f"{'':<{name}}  {'':<7}  ") < _LEAST_PROSE
    lines = ["knob, what a change takes: what it is" if stacked else f"{'knob':<{name}}  takes    what it is"]
    for knob in knobs:
        places = [_place(place) for place in knob.places]
        more = f" and {len(places) - _MOST_PLACES} more" if len(places) > _MOST_PLACES else ""
        said = f"{knob.title}; {', '.join(places[:_MOST_PLACES])}{more}"
        if stacked:
            lines += [f"{knob.id}, {knob.takes}:", _filled(said, width, _INDENT)]
        else:
            lines.append(_filled(said, width, f"{knob.id:<{name}}  {knob.takes:<7}  "))
    return "\n".join([*lines, "", "all of one: sparktune knobs show NAME"]) + "\n"


def knob_text(knob: Knob, width: int) -> str:
    """Return all that is known of a knob; effects are other people's, and each says under which conditions."""
    parts = [_filled(f"{knob.id}: {knob.title}", width), _filled(knob.does, width)]
    facts = [("legal", knob.legal), ("a change takes", _cost(knob)), ("measure", ", ".join(knob.measure) or "unknown")]
    if knob.quality:
        facts.append(("quality", "it may change what the model says: test that too, not only the speed"))
    if knob.raises_memory:
        facts.append(("memory", "a larger value wants more: a sweep tries it upwards, under the guards"))
    parts.append("\n".join(_filled(text, width, f"{word}: ", _INDENT) for word, text in facts))
    parts.append(_section("where it is set", [_where(place) for place in knob.places], width))
    parts.append(_section("hangs together with", [f"{one.other}: {one.what}" for one in knob.interactions], width))
    effects = [_effect(effect) for effect in knob.effects]
    parts.append(_section("what others saw (none of it is ours)", effects or ["nothing with numbers is known"], width))
    parts.append(_filled(f"source: {knob.source}", width, hang=_INDENT))
    return "\n\n".join(part for part in parts if part) + "\n"


def knobs_json(knobs: Sequence[Knob]) -> str:
    """Return the whole catalogue."""
    return _json({"knobs": [_plain(knob) for knob in knobs]})


def knob_json(knob: Knob) -> str:
    """Return one knob."""
    return _json({"knob": _plain(knob)})


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps({"schema": _SCHEMA, **content}, indent=2, ensure_ascii=False) + "\n"


def _plain(knob: Knob) -> dict[str, Any]:
    plain = asdict(knob)
    for key in ("least", "most"):
        if plain[key] is None:
            plain[f"{key}_why"] = "it is no number, or no such limit is known"
    return plain


def _cost(knob: Knob) -> str:
    words = {
        "live": "nothing: it counts at once",
        "restart": "a restart of the engine",
        "reboot": "a reboot of the machine",
    }
    return words[knob.takes]


def _place(place: Place) -> str:
    return f"{place.engine + ' ' if place.engine else ''}{place.name}"


def _where(place: Place) -> str:
    versions = f" ({place.versions})" if place.versions else ""
    return f"{_place(place)}: {_KINDS[place.kind]}{versions}"


def _effect(effect: Effect) -> str:
    how = "" if effect.measured else "reported without numbers: "
    return f"{how}{effect.what}; {effect.conditions} [{effect.source}]"


def _section(title: str, lines: Sequence[str], width: int) -> str:
    if not lines:
        return ""
    return "\n".join([f"{title}:", *(_filled(f"- {line}", width, _INDENT, _INDENT * 2) for line in lines)])


def _filled(text: str, width: int, first: str = "", hang: str | None = None) -> str:
    return textwrap.fill(
        text,
        width=width,
        initial_indent=first,
        subsequent_indent=" " * len(first) if hang is None else hang,
        break_long_words=False,
        break_on_hyphens=False,
    )

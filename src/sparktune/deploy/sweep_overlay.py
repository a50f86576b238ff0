"""The settings that a configuration of a sweep would start with: those of the baseline, with its own laid over."""

__all__ = ["overlaid", "typed"]

import json
import re
from collections.abc import Mapping
from typing import Final

from sparktune.deploy.settings.values import member_of
from sparktune.deploy.sweep_values import magnitude
from sparktune.deploy.sweep_words import setting_keys
from sparktune.model.setting import Value
from sparktune.model.sweep import Candidate

_UNSAID: Final = "engine decides"
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?[kKmMgGtT]?")
_NUMBERS: Final = re.compile(r"\d+(?:,\d+)+")
_SWITCHES: Final = {"on": True, "off": False}


def overlaid(values: Mapping[str, Value], candidate: Candidate, engine: str) -> dict[str, Value]:
    """Return the settings in normal form by key; one that is left to the engine is not among them."""
    found = dict(values)
    for knob, text in candidate.values.items():
        keys = setting_keys(knob, engine)
        if not keys:
            continue
        key = next((one for one in keys if one in found), keys[0])
        if text == _UNSAID:
            found.pop(key, None)
        else:
            found[key] = typed(text)
    return found


def typed(text: str) -> Value:
    """Return what a value of a knob says: a number, a switch, a list of whole numbers, a map, or the text."""
    if text in _SWITCHES:
        return _SWITCHES[text]
    if _NUMBERS.fullmatch(text):
        return tuple(int(one) for one in text.split(","))
    if _NUMBER.fullmatch(text):
        number = -1.0 if text.startswith("-") else magnitude(text) or 0.0
        return int(number) if number.is_integer() and "." not in text else number
    if text.startswith("{"):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return text
        return member_of(text, {})
    return text

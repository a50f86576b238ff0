"""Find a knob by what people call it: its name, or any of the ways in which it is written."""

__all__ = ["knob_named", "matching", "nearest"]

import difflib
from collections.abc import Sequence

from sparktune.model.knob import Knob

_MOST_NEAR = 3


def knob_named(knobs: Sequence[Knob], name: str) -> Knob | None:
    """Return the knob with this name or spelling; dashes, underscores and case do not matter."""
    wanted = _plain(name)
    by_id = next((knob for knob in knobs if _plain(knob.id) == wanted), None)
    if by_id is not None:
        return by_id
    return next((knob for knob in knobs if any(_plain(place.name) == wanted for place in knob.places)), None)


def nearest(knobs: Sequence[Knob], name: str) -> tuple[str, ...]:
    """Return the ids of knobs that are called nearly so."""
    spelled = {_plain(word): knob.id for knob in knobs for word in (knob.id, *(place.name for place in knob.places))}
    near = difflib.get_close_matches(_plain(name), spelled, n=_MOST_NEAR)
    return tuple(dict.fromkeys(spelled[word] for word in near))


def matching(knobs: Sequence[Knob], words: Sequence[str], engine: str) -> tuple[Knob, ...]:
    """Return those whose texts have all words, of an engine where one is named; host settings are of every engine."""
    return tuple(knob for knob in knobs if _is_of(knob, engine) and all(word.lower() in _text(knob) for word in words))


def _is_of(knob: Knob, engine: str) -> bool:
    return not engine or any(place.engine in {"", engine} for place in knob.places)


def _text(knob: Knob) -> str:
    return " ".join((knob.id, knob.title, knob.does, *(place.name for place in knob.places))).lower()


def _plain(name: str) -> str:
    return name.strip().lstrip("-").replace("-", "_").lower()

"""What an earned setting is, for whom, and how much was found, each in a few words."""

__all__ = ["confidence_words", "effect_words", "history_words", "scope_words", "short_value", "value_words"]

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from sparktune.drift.earned_keys import is_called
from sparktune.experiment.effect import Better, Effect
from sparktune.model.earned import EarnedEntry
from sparktune.redact import redact_value
from sparktune.report.ab.words import change_words, interval_words
from sparktune.report.bench.words import UNKNOWN, one_line
from sparktune.units import format_percent

_NAMED = ("env", "flags", "keys", "options")


def value_words(value: Any, beside: Any = None) -> str:  # noqa: ANN401 - what a file has
    """Return an arm's settings, secrets removed; of settings by name only those that another arm has otherwise."""
    if not isinstance(value, Mapping):
        return UNKNOWN if value is None else one_line(redact_value("", str(value)))
    words = list(_words(value, beside if isinstance(beside, Mapping) else {}))
    return one_line(" ".join(words)) or (
        "as it was" if value in ({}, beside) else one_line(redact_value("", str(value)))
    )


def short_value(entry: EarnedEntry) -> str:
    """Return the value beside a column that names the setting: a lone setting of that name is not named twice."""
    said = value_words(entry.value, entry.instead_of)
    name, sign, value = said.partition("=")
    return value if sign and " " not in value and is_called(name, entry.knob) else said


def effect_words(entry: EarnedEntry, *, interval: bool = True) -> str:
    """Return how the metric changed, with its interval; what is not said is unknown."""
    found = entry.evidence
    if found.ratio is None or found.low is None or found.high is None:
        return UNKNOWN
    better = Better.LOWER if found.better == Better.LOWER.value else Better.HIGHER
    effect = Effect(
        ratio=found.ratio,
        low=found.low,
        high=found.high,
        confidence=found.confidence or 0.0,
        blocks=found.blocks or 0,
        deviation=0.0,
        wins=found.blocks_won or 0,
    )
    change = change_words(effect, better)
    return f"{change} {interval_words(effect, better)}" if interval else change


def scope_words(entry: EarnedEntry) -> str:
    """Return for whom it holds."""
    scope = entry.scope
    said = [scope.service, scope.cluster and f"on {scope.cluster}", scope.model and f"model {scope.model}"]
    return one_line(", ".join(word for word in said if word)) or UNKNOWN


def history_words(entry: EarnedEntry) -> str:
    """Return why an entry counts no more."""
    ended = entry.ended
    if ended is None:
        return "no reason is said"
    return one_line(f"{ended.how}{f' by {ended.by}' if ended.by else ''}{f' on {ended.date}' if ended.date else ''}")


def _words(value: Mapping[str, Any], beside: Mapping[str, Any]) -> Iterator[str]:
    command = value.get("command", value.get("text"))
    if isinstance(command, list | tuple):
        yield shlex.join(str(word) for word in command)
    elif command is not None:
        yield str(command)
    for kind in _NAMED:
        named, other = value.get(kind), beside.get(kind)
        for name, said in named.items() if isinstance(named, Mapping) else ():
            if isinstance(other, Mapping) and name in other and other[name] == said:
                continue
            yield str(name) if said is True else f"{name} unset" if said is None else f"{name}={_text(name, said)}"


def _text(name: object, said: object) -> str:
    return redact_value(str(name), str(said))


def confidence_words(entry: EarnedEntry) -> str:
    """Return how sure the interval is."""
    found = entry.evidence.confidence
    return UNKNOWN if found is None else format_percent(found)

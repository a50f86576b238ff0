"""One entry of ``earned.yaml`` as a record; what is in it that nobody here knows of stays in its ``content``."""

__all__ = ["entry_of"]

import math
import re
from collections.abc import Mapping
from datetime import date
from typing import Any, Final, TypeVar

import msgspec

from sparktune.io.config_text import ConfigText, Where
from sparktune.model.earned import EarnedEnd, EarnedEntry, EarnedEvidence, EarnedScope

_RATIOS: Final = ("ratio", "low", "high", "confidence")
_HINT: Final = "see git diff: what nobody knows of may stay here, but this has to be of its form"
_AT: Final = re.compile(r" - at `\$\.?(?P<path>[^`]*)`$")
_Part = TypeVar("_Part", EarnedScope, EarnedEvidence, EarnedEnd)


def entry_of(text: ConfigText, where: Where) -> EarnedEntry:
    """Return the entry at a place. Raises UsageError with file and line for what cannot be understood."""
    content: Any = text.values
    for step in where:
        content = content[step]
    if not isinstance(content, dict) or not isinstance(content.get("scope"), dict) or not content.get("knob"):
        raise text.error(where, "a setting has knob, value, scope and evidence", hint="see git diff")
    evidence = _part(text, (*where, "evidence"), content.get("evidence") or {}, EarnedEvidence)
    for name in _RATIOS:
        value = getattr(evidence, name)
        if value is not None and not (math.isfinite(value) and value > 0):
            message = f"a number above 0 is wanted here, not {value!r}"
            raise text.error((*where, "evidence", name), message, hint=_HINT)
    return EarnedEntry(
        knob=str(content["knob"]),
        value=content.get("value"),
        instead_of=content.get("instead_of"),
        scope=_part(text, (*where, "scope"), content["scope"], EarnedScope),
        evidence=evidence,
        content=content,
        file=str(text.path),
        line=text.line(where) or 0,
        ended=_part(text, (*where, "ended"), content["ended"], EarnedEnd) if "ended" in content else None,
    )


def _part(text: ConfigText, where: Where, values: object, kind: type[_Part]) -> _Part:
    if not isinstance(values, Mapping):
        raise text.error(where, "names and their values are wanted here", hint=_HINT)
    # YAML reads a day that is not in quotes as a date; a name without a value is one that is not said.
    said = {name: str(value) if isinstance(value, date) else value for name, value in values.items()}
    try:
        return msgspec.convert({name: value for name, value in said.items() if value is not None}, kind)
    except msgspec.ValidationError as error:
        at = _AT.search(str(error))
        below: Where = tuple(at["path"].split(".")) if at and at["path"] else ()
        raise text.error((*where, *below), _AT.sub("", str(error)).replace("`", ""), hint=_HINT) from None

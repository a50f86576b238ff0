"""Which variables of a process are asked for: what files and experiments name, and what the catalogue knows. Pure.

Secrets stay on their node: a name that looks like one is never asked for.
"""

__all__ = ["wanted_variables"]

from collections.abc import Iterable, Mapping
from typing import Final

from sparktune.deploy.knobs import all_knobs
from sparktune.model.setting import Setting
from sparktune.redact import redact_value

_ENV: Final = "env."
_PROBE: Final = "abcdefgh12345678"


def wanted_variables(*layers: Mapping[str, Setting] | Iterable[Setting]) -> tuple[str, ...]:
    """Return names of variables, sorted; secrets are not among them."""
    named = {
        key.removeprefix(_ENV)
        for layer in layers
        for key in (layer if isinstance(layer, Mapping) else (one.key for one in layer))
        if key.startswith(_ENV)
    }
    known = {place.name for knob in all_knobs() for place in knob.places if place.kind == "env"}
    return tuple(sorted(name for name in named | known if redact_value(name, _PROBE) == _PROBE))

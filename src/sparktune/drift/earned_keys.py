"""Find an entry of ``earned.yaml`` by what people call its setting."""

__all__ = ["entries_called", "is_called", "knob_of", "names_of"]

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparktune.deploy.knob_names import knob_named
from sparktune.deploy.knobs import all_knobs
from sparktune.model.earned import EarnedEntry
from sparktune.model.knob import Knob

_NAMED = ("env", "flags", "keys", "options")
_PREFIXES = ("env.", "key.")


def entries_called(entries: Sequence[EarnedEntry], key: str) -> tuple[EarnedEntry, ...]:
    """Return those whose experiment, knob or setting is called so: ``--max-num-seqs``, ``env.NAME``, a run's id."""
    by_run = tuple(entry for entry in entries if key and entry.evidence.run == key)
    return by_run or tuple(entry for entry in entries if any(is_called(name, key) for name in names_of(entry)))


def is_called(name: str, key: str) -> bool:
    """Tell whether two spellings are of the same setting, by the catalogue of knobs too."""
    if _plain(name) == _plain(key):
        return True
    known = knob_named(all_knobs(), _bare(name))
    return known is not None and known == knob_named(all_knobs(), _bare(key))


def names_of(entry: EarnedEntry) -> tuple[str, ...]:
    """Return the names of an entry: its knob's, and those of the settings that its value and the other differ in."""
    return tuple(dict.fromkeys((entry.knob, *_differing(entry.value, entry.instead_of))))


def knob_of(entry: EarnedEntry) -> Knob | None:
    """Return what the catalogue knows of an entry's setting, None when it does not know it."""
    found = (knob_named(all_knobs(), _bare(name)) for name in names_of(entry))
    return next((knob for knob in found if knob is not None), None)


def _differing(value: Any, other: Any) -> Iterator[str]:  # noqa: ANN401 - what a file has
    if not isinstance(value, Mapping):
        return
    for kind in _NAMED:
        named, before = value.get(kind), other.get(kind) if isinstance(other, Mapping) else None
        if isinstance(named, Mapping):
            unlike = before if isinstance(before, Mapping) else {}
            yield from (str(name) for name, said in named.items() if name not in unlike or unlike[name] != said)


def _bare(name: str) -> str:
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def _plain(name: str) -> str:
    return _bare(name.strip()).lstrip("-").replace("-", "_").lower()

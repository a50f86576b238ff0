"""Ticks of guards, written short: what changes, ``times`` it stays, and ``by`` how much it moves each time."""

__all__ = ["guard_limits", "host_ticks", "load_ticks"]

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from sparktune.model.guard import GpuProcess, GpuTick, HostTick, Limits, LoadTick
from sparktune.units import NS_PER_S, Seconds

_SIZE = re.compile(r"(-?\d+(?:\.\d+)?) ?([KMG]iB)")
_UNITS = {"KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}
_BEGIN_NS = 1_000_000 * NS_PER_S


def guard_limits(values: Mapping[str, Any]) -> Limits:
    """Return limits with some of them set."""
    return Limits(**{name: _number(value) for name, value in values.items()})


def host_ticks(entries: Sequence[Mapping[str, Any]], every_s: Seconds = 0.5) -> tuple[HostTick, ...]:
    """Return the ticks of one node; a value stays until it is changed, ``null`` makes it unknown."""
    return tuple(
        HostTick(
            node="spark1", monotonic_ns=_instant(place, every_s), wall_ns=_instant(place, every_s), **_parts(values)
        )
        for place, values in enumerate(_spelled(entries, HostTick))
    )


def load_ticks(entries: Sequence[Mapping[str, Any]], every_s: Seconds = 0.5) -> tuple[LoadTick, ...]:
    """Return the ticks of a load."""
    return tuple(
        LoadTick(monotonic_ns=_instant(place, every_s), **values)
        for place, values in enumerate(_spelled(entries, LoadTick))
    )


def _spelled(entries: Sequence[Mapping[str, Any]], kind: type) -> Iterator[dict[str, Any]]:
    known, values = {field.name for field in fields(kind)}, dict[str, Any]()
    for entry in entries:
        given = {name: _number(value) for name, value in entry.items() if name not in {"times", "by"}}
        unknown = given.keys() - known
        assert not unknown, f"there is no {unknown}"
        values = {**values, **given}
        for turn in range(int(entry.get("times", 1))):
            moved = entry.get("by", {}) if turn or not given.keys() & entry.get("by", {}).keys() else {}
            values = {**values, **{name: values[name] + _number(step) for name, step in moved.items()}}
            yield {name: value for name, value in values.items() if value is not None}


def _parts(values: dict[str, Any]) -> dict[str, Any]:
    made = dict(values)
    if "gpus" in made:
        made["gpus"] = tuple(GpuTick(**gpu) for gpu in made["gpus"])
    if "gpu_processes" in made:
        made["gpu_processes"] = tuple(
            GpuProcess(**{"memory": None, **{name: _number(value) for name, value in one.items()}})
            for one in made["gpu_processes"]
        )
    return made


def _number(value: Any) -> Any:  # noqa: ANN401 - whatever a case says
    match = _SIZE.fullmatch(value) if isinstance(value, str) else None
    return round(float(match[1]) * _UNITS[match[2]]) if match else value


def _instant(place: int, every_s: Seconds) -> int:
    return _BEGIN_NS + round(place * every_s * NS_PER_S)

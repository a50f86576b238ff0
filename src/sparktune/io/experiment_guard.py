"""``guard:`` of an experiment file: when hosts are protected from it, and what a lost node means.

::

    guard: {stop_engine: true, available_floor: 3GiB, tail_s: 60, on_lost_node: retry}
    guard: off
"""

__all__ = ["guard_keys", "protection_of"]

import difflib
import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from sparktune.experiment.protection import OnLostNode, Protection
from sparktune.io.experiment_values import Fault
from sparktune.model.guard import Limits

_KEY: Final = "guard"
_SIZES: Final = frozenset({"available_floor", "free_floor"})
_COUNTS: Final = frozenset({"swap_pages", "swap_pages_at_once", "driver_lines"})
_WORDS: Final = ("on", "off")
_SHARES: Final = frozenset({"stall_share", "error_share"})
_SWITCHES: Final = frozenset({"foreign_gpu", "foreign_requests"})
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(B|KiB|MiB|GiB|TiB)")
_UNITS: Final = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_LEAST: Final = {"available_floor": 2**20, "free_floor": 2**20, "low_clock_hz": 1e6}
"""A bare number below that, and above 0, was meant in a larger unit."""
_MEANT: Final = {"low_clock_hz": "{0:g} MHz is {0:g}e6, {0:g} GHz is {0:g}e9"}
_SIZE_MEANT: Final = "write the unit: {0:g}GiB, {0:g}MiB, or {0:g}B if that is meant"
_MOST: Final = 1e15  # whoever writes more, also an integer that no float holds, means something else
_OWN: Final = ("stop_engine", "tail_s", "on_lost_node", "retries", "lost_wait_s")


def guard_keys() -> tuple[str, ...]:
    """Return every key of the section."""
    return (*_OWN, *(field.name for field in fields(Limits)))


def protection_of(value: object, fault: Fault) -> Protection:
    """Return what the section says; what it does not say is as usual. ``off`` (or false) watches nothing.

    Raises UsageError.
    """
    if value is None:
        return Protection()
    if value is False or value == "off":
        return Protection(on=False)
    if not isinstance(value, Mapping):
        raise fault((_KEY,), f"limits by name, or off, are wanted here, not {value!r}", "guard: {stop_engine: true}")
    for key in value:
        if key not in guard_keys():
            near = difflib.get_close_matches(str(key), guard_keys(), n=1)
            known = f"known here: {', '.join(guard_keys())}"
            raise fault((_KEY, key), f"unknown key {key!r}", f"did you mean {near[0]}? {known}" if near else known)
    limits = {key: _limit(key, given, fault) for key, given in value.items() if key not in _OWN}
    usual = Protection()
    return Protection(
        limits=Limits(**limits),
        stop_engine=_switch("stop_engine", value.get("stop_engine", usual.stop_engine), fault),
        tail_s=_number("tail_s", value.get("tail_s", usual.tail_s), fault),
        on_lost_node=_on_lost(value.get("on_lost_node", usual.on_lost_node.value), fault),
        retries=int(_number("retries", value.get("retries", usual.retries), fault, whole=True)),
        lost_wait_s=_number("lost_wait_s", value.get("lost_wait_s", usual.lost_wait_s), fault),
    )


def _limit(key: str, value: object, fault: Fault) -> Any:  # noqa: ANN401 - as the field of Limits has it
    if key in _SWITCHES:
        return _switch(key, value, fault)
    if value is None or value is False or value == "off":
        return None
    if key in _SIZES and isinstance(value, str):
        match = _SIZE.fullmatch(value.strip())
        if match is None:
            raise fault((_KEY, key), f"a size is wanted, not {value!r}", "3GiB, 512MiB, or a number of bytes")
        return round(float(match[1]) * _UNITS[match[2]])
    if isinstance(value, int | float) and value is not True and 0 < value < _LEAST.get(key, 0):
        hint = _MEANT.get(key, _SIZE_MEANT).format(value)
        raise fault((_KEY, key), f"a limit of {value:g} {'bytes' if key in _SIZES else 'Hz'} guards nothing", hint)
    number = _number(key, value, fault, whole=key in _SIZES | _COUNTS)
    if key in _SHARES and number > 1:
        raise fault((_KEY, key), f"a share from 0 to 1 is wanted, not {value!r}", "20 % is 0.2")
    return round(number) if key in _SIZES | _COUNTS else number


def _on_lost(value: object, fault: Fault) -> OnLostNode:
    if isinstance(value, str) and value in {one.value for one in OnLostNode}:
        return OnLostNode(value)
    raise fault((_KEY, "on_lost_node"), f"stop or retry is wanted, not {value!r}", "retry begins the block again")


def _switch(key: str, value: object, fault: Fault) -> bool:
    if isinstance(value, bool):
        return value
    if value in _WORDS:
        return value == _WORDS[0]
    raise fault((_KEY, key), f"on or off (true or false) is wanted, not {value!r}", f"leave {key} out for the usual")


def _number(key: str, value: object, fault: Fault, *, whole: bool = False) -> float:
    kinds = int if whole else (int, float)
    if not isinstance(value, bool) and isinstance(value, kinds) and 0 <= value <= _MOST:
        return float(value)
    what = "a whole number" if whole else "a number"
    hint = f"leave {key} out for the usual" if key in _OWN else "a limit that is not to count is off"
    raise fault((_KEY, key), f"{what} from 0 on is wanted, not {value!r}", hint)

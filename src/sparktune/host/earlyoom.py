"""When earlyoom would act, from its arguments.

Source: earlyoom(1): ``-m``, ``-s`` percent (default 10, ``PERCENT,KILL_PERCENT``), ``-M``, ``-S`` KiB; it sends SIGTERM
once both available memory and free swap are at or below their limits. Since 1.8 the percent of memory are of what user
programs can have, before of all memory: the figure here is that of all memory, the larger one.
"""

__all__ = ["Limits", "limits_of"]

import re
import shlex
from dataclasses import dataclass

from sparktune.units import Bytes, Ratio

_DEFAULT: Ratio = 0.1
_KIB: Bytes = 1024
_LIMIT = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)(?:,\S*)?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What is given as a share has no size, and the other way round."""

    memory_ratio: Ratio | None = _DEFAULT
    memory: Bytes | None = None
    swap_ratio: Ratio | None = _DEFAULT
    swap: Bytes | None = None

    def memory_of(self, total: Bytes) -> Bytes:
        """Return the available memory below which it acts, on a machine with ``total``."""
        return self.memory if self.memory is not None else round((self.memory_ratio or 0.0) * total)


def limits_of(arguments: str) -> Limits | None:
    """Return the limits that arguments set, None when they are not understood."""
    try:
        words = shlex.split(arguments)
    except ValueError:
        return None
    given: dict[str, float] = {}
    for place, word in enumerate(words):
        if word[:2] not in {"-m", "-s", "-M", "-S"}:
            continue
        value = word[2:] or (words[place + 1] if place + 1 < len(words) else "")
        match = _LIMIT.fullmatch(value)
        if match is None:
            return None
        given[word[1]] = float(match[1])
    memory, swap = given.get("M"), given.get("S")
    return Limits(
        memory_ratio=None if memory is not None else given.get("m", _DEFAULT * 100) / 100,
        memory=None if memory is None else round(memory) * _KIB,
        swap_ratio=None if swap is not None else given.get("s", _DEFAULT * 100) / 100,
        swap=None if swap is None else round(swap) * _KIB,
    )

"""Random numbers from a seed alone, the same on every machine: a plan's order of visits is part of the plan.

Source: SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
"""

__all__ = ["draws", "shuffled"]

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def draws(seed: int, purpose: int) -> Callable[[], float]:
    """Return a generator of numbers inside [0, 1); one per purpose, so that no stage shifts the numbers of another."""
    state = _mixed((seed & _MASK) ^ _mixed(purpose + 1))

    def draw() -> float:
        nonlocal state
        state = (state + _GOLDEN) & _MASK
        return (_mixed(state) >> 11) / (1 << 53)

    return draw


def shuffled(values: Sequence[T], draw: Callable[[], float]) -> list[T]:
    """Return the values in random order (Fisher and Yates)."""
    order = list(values)
    for place in range(len(order) - 1, 0, -1):
        other = int(draw() * (place + 1))
        order[place], order[other] = order[other], order[place]
    return order


def _mixed(value: int) -> int:
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)

"""The order of an experiment: adjacent visits of both arms in blocks, counterbalanced, with a random start.

AAABBB does not exist here: the arm would be confounded with the hour and with what happened at one start.
"""

__all__ = ["Arm", "Block", "blocks_of"]

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class Arm(Enum):
    """One of the two settings: A is what runs now, B the candidate."""

    A = "A"
    B = "B"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Two visits, one of each arm; ``cells`` is the order of the cells, the same in both visits."""

    number: int
    visits: tuple[Arm, Arm]
    cells: tuple[int, ...]


def blocks_of(count: int, cells: int, draw: Callable[[], float]) -> tuple[Block, ...]:
    """Return ``count`` blocks whose visits alternate AB, BA ... from a random start (ABBA or BAAB).

    ``draw`` gives numbers inside [0, 1) from a seeded generator: the same seed, the same plan.
    """
    starts = (Arm.A, Arm.B) if draw() < 1 / 2 else (Arm.B, Arm.A)
    return tuple(
        Block(
            number=number,
            visits=starts if number % 2 else (starts[1], starts[0]),
            cells=_shuffled(cells, draw),
        )
        for number in range(1, count + 1)
    )


def _shuffled(count: int, draw: Callable[[], float]) -> tuple[int, ...]:
    order = list(range(count))
    for place in range(count - 1, 0, -1):  # Fisher and Yates
        other = int(draw() * (place + 1))
        order[place], order[other] = order[other], order[place]
    return tuple(order)

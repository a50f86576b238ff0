"""The order of an experiment: adjacent visits of both arms in blocks, counterbalanced, with a random start.

AAABBB does not exist here: the arm would be confounded with the hour and with what happened at one start.

The order of cells is random, anew in every block and the same in both its visits, so that no cell always comes after
the same other. The first block is the exception: there both arms go from the lightest cell to the heaviest, since until
then nobody knows whether there is memory for a shape, and a host that runs out of it freezes. The price: in one block
of all the order of cells is not random. Both arms have the same order there as everywhere, so their ratio is not bent.
"""

__all__ = ["STEPS_UP_BLOCK", "Arm", "Block", "blocks_of"]

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

STEPS_UP_BLOCK: Final = 1
"""The block in which both visits go upwards."""


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


def blocks_of(count: int, ascending: Sequence[int], draw: Callable[[], float]) -> tuple[Block, ...]:
    """Return ``count`` blocks whose visits alternate AB, BA ... from a random start (ABBA or BAAB).

    ``ascending`` are the places of the cells, the lightest first. ``draw`` gives numbers inside [0, 1) from a seeded
    generator: the same seed, the same plan.
    """
    starts = (Arm.A, Arm.B) if draw() < 1 / 2 else (Arm.B, Arm.A)
    orders = [_shuffled(len(ascending), draw) for _ in range(count)]
    return tuple(
        Block(
            number=number,
            visits=starts if number % 2 else (starts[1], starts[0]),
            cells=tuple(ascending) if number == STEPS_UP_BLOCK else order,
        )
        for number, order in enumerate(orders, start=1)
    )


def _shuffled(count: int, draw: Callable[[], float]) -> tuple[int, ...]:
    order = list(range(count))
    for place in range(count - 1, 0, -1):  # Fisher and Yates
        other = int(draw() * (place + 1))
        order[place], order[other] = order[other], order[place]
    return tuple(order)

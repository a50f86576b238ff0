"""The starts of a wave's requests, as a cell plans them.

Source: in a Poisson process of rate r the waits between arrivals are independent and exponentially distributed with
mean 1/r; ``-ln(u)/r`` of a uniform u in (0, 1] is one such wait. Here u comes from a hash of the workload's seed and
the wave's place, so that the n-th wave of a cell has the same arrivals in every run: two arms meet the same traffic.
"""

__all__ = ["starts_of"]

import hashlib
import math
from collections.abc import Iterator

from sparktune.model.arrival import Start
from sparktune.model.cell import Cell
from sparktune.model.mix import Household
from sparktune.units import Seconds

_STEPS = 1 << 64
# An eighth of the answer: begun for sure, and far from its end even with several tokens per packet.
_READS_PER_REPLY = 8
_FEWEST_READS = 4  # a head and a chunk without text may come before the first output


def starts_of(cell: Cell, key: str) -> tuple[Start, ...]:
    """Return one start per request of a wave, the first at once; ``key`` fixes the waits of Poisson arrivals."""
    if cell.household:
        return tuple(_household(cell.household))
    first = tuple(Start(delay_s=delay_s) for delay_s in _delays(cell, key))
    if not cell.prompts:
        return first
    return (*first, *(Start(after=stream - cell.concurrency) for stream in range(cell.concurrency, cell.streams)))


def _household(mix: Household) -> Iterator[Start]:
    yield Start()
    yield from (Start(after=turn - 1) for turn in range(1, mix.turns))
    yield Start(after=mix.interrupted, reads=max(_FEWEST_READS, mix.reply_tokens // _READS_PER_REPLY))


def _delays(cell: Cell, key: str) -> Iterator[Seconds]:
    at_s = 0.0
    for stream in range(cell.concurrency):
        yield at_s
        at_s += cell.arrivals.stagger_s
        if cell.arrivals.rate_per_s:
            at_s += -math.log(_uniform(f"{key}/{stream}")) / cell.arrivals.rate_per_s


def _uniform(key: str) -> float:
    """Return a number in (0, 1]."""
    return (int.from_bytes(hashlib.sha256(key.encode()).digest()[:8]) + 1) / _STEPS

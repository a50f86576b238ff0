"""From lists of numbers to the cells of a workload."""

__all__ = ["make_cells", "parse_numbers"]

import math
from collections.abc import Sequence
from itertools import product

from sparktune.errors import UsageError
from sparktune.model.cell import Cell
from sparktune.units import Tokens

# Far beyond any server, and still within what this machine can prepare: a zero too many must not take its memory.
_LARGEST = 1_000_000_000
_MOST_STREAMS = 20_000  # one client address has about 28,000 ports of its own
_MOST_CELLS = 10_000


def parse_numbers(text: str, *, flag: str, smallest: int = 1) -> tuple[int, ...]:
    """Read ``128,512,2048``; doubles are dropped. Raises UsageError naming the flag and the part that is wrong."""
    numbers: dict[int, None] = {}
    for part in text.replace(" ", ",").split(","):
        if not part:
            continue
        if not _is_whole(part) or int(part) < smallest:
            message = f"{flag} takes whole numbers from {smallest} up to {_LARGEST}, not {part[:40]!r}"
            raise UsageError(message, hint=f"write it as {flag} 512 or {flag} 128,512,2048")
        numbers[int(part)] = None
    if not numbers:
        message = f"{flag} names no number"
        raise UsageError(message, hint=f"write it as {flag} 512 or {flag} 128,512,2048")
    return tuple(numbers)


def make_cells(
    prompt_tokens: Sequence[Tokens],
    output_tokens: Sequence[Tokens],
    depths: Sequence[Tokens],
    concurrencies: Sequence[int],
) -> tuple[Cell, ...]:
    """Return every combination; concurrency varies fastest and depth slowest, as in llama-benchy's tables.

    Raises UsageError for more streams or cells than one machine can prepare.
    """
    if max(concurrencies, default=0) > _MOST_STREAMS:
        message = f"a concurrency of {max(concurrencies)} is more than one client can open ({_MOST_STREAMS})"
        raise UsageError(message, hint="ask for fewer streams at once")
    count = math.prod(map(len, (prompt_tokens, output_tokens, depths, concurrencies)))
    if count > _MOST_CELLS:
        message = f"these lists make {count} cells, at most {_MOST_CELLS} can be one run"
        raise UsageError(message, hint="shorten a list, or split the run")
    return tuple(
        Cell(prompt_tokens=prompt, output_tokens=output, depth=depth, concurrency=concurrency)
        for depth, prompt, output, concurrency in product(depths, prompt_tokens, output_tokens, concurrencies)
    )


def _is_whole(part: str) -> bool:
    # The length first: a number of thousands of digits costs time, and Python refuses it.
    return part.isascii() and part.isdigit() and len(part) <= len(str(_LARGEST)) and int(part) <= _LARGEST

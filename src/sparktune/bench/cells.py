"""From lists of numbers to the cells of a workload."""

__all__ = ["make_cells", "parse_numbers"]

from collections.abc import Sequence
from itertools import product

from sparktune.errors import UsageError
from sparktune.model.cell import Cell
from sparktune.units import Tokens


def parse_numbers(text: str, *, flag: str, smallest: int = 1) -> tuple[int, ...]:
    """Read ``128,512,2048``; doubles are dropped. Raises UsageError naming the flag and the part that is wrong."""
    numbers: dict[int, None] = {}
    for part in text.replace(" ", ",").split(","):
        if not part:
            continue
        if not (part.isascii() and part.isdigit()) or int(part) < smallest:
            message = f"{flag} takes whole numbers from {smallest} up, not {part!r}"
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
    """Return every combination; concurrency varies fastest and depth slowest, as in llama-benchy's tables."""
    return tuple(
        Cell(prompt_tokens=prompt, output_tokens=output, depth=depth, concurrency=concurrency)
        for depth, prompt, output, concurrency in product(depths, prompt_tokens, output_tokens, concurrencies)
    )

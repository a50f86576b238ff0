"""From lists of numbers to the cells of a workload."""

__all__ = [
    "check_streams",
    "make_arrivals",
    "make_cells",
    "make_household",
    "make_prompt_cells",
    "make_replay_cells",
    "parse_numbers",
]

import math
from collections.abc import Sequence
from itertools import product

from sparktune.errors import UsageError
from sparktune.model.arrival import AT_ONCE, Arrivals
from sparktune.model.cell import Cell
from sparktune.model.mix import Household, OwnPrompts, Replay
from sparktune.units import Ratio, Seconds, Tokens

# Far beyond any server, and still within what this machine can prepare: a zero too many must not take its memory.
_LARGEST = 1_000_000_000
_MOST_STREAMS = 20_000  # one client address has about 28,000 ports of its own
_MOST_CELLS = 10_000
_LARGEST_SCALE = 1000
_TURNS = 4
# Usual length, and the fewest tokens that a chat template and a nonce leave room for.
_HOUSEHOLD = {
    "opening_tokens": (1024, 64),
    "turn_tokens": (256, 64),
    "reply_tokens": (128, 16),
    "long_tokens": (8192, 128),
    "long_reply_tokens": (64, 8),
}


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


def check_streams(concurrencies: Sequence[int]) -> None:
    """Raise UsageError for more streams at once than one client can open."""
    if max(concurrencies, default=0) > _MOST_STREAMS:
        message = f"a concurrency of {max(concurrencies)} is more than one client can open ({_MOST_STREAMS})"
        raise UsageError(message, hint="ask for fewer streams at once")


def make_cells(
    prompt_tokens: Sequence[Tokens],
    output_tokens: Sequence[Tokens],
    depths: Sequence[Tokens],
    concurrencies: Sequence[int],
    arrivals: Arrivals = AT_ONCE,
) -> tuple[Cell, ...]:
    """Return every combination; concurrency varies fastest and depth slowest, as in llama-benchy's tables.

    Raises UsageError for more streams or cells than one machine can prepare.
    """
    check_streams(concurrencies)
    count = math.prod(map(len, (prompt_tokens, output_tokens, depths, concurrencies)))
    if count > _MOST_CELLS:
        message = f"these lists make {count} cells, at most {_MOST_CELLS} can be one run"
        raise UsageError(message, hint="shorten a list, or split the run")
    return tuple(
        Cell(prompt_tokens=prompt, output_tokens=output, depth=depth, concurrency=concurrency, arrivals=arrivals)
        for depth, prompt, output, concurrency in product(depths, prompt_tokens, output_tokens, concurrencies)
    )


def _is_whole(part: str) -> bool:
    # The length first: a number of thousands of digits costs time, and Python refuses it.
    return part.isascii() and part.isdigit() and len(part) <= len(str(_LARGEST)) and int(part) <= _LARGEST


def make_arrivals(stagger_s: Seconds, rate_per_s: float) -> Arrivals:
    """Return how streams arrive. Raises UsageError for numbers that make no plan."""
    try:
        return Arrivals(stagger_s=stagger_s, rate_per_s=rate_per_s)
    except ValueError as error:
        hint = "give a stagger or an arrival rate, not both, or neither for streams that start at once"
        raise UsageError(str(error), hint=hint) from None


def make_household(scale: Ratio) -> Household:
    """Return the household of that size: 1 is for a server that reads some thousand tokens a second.

    Raises UsageError for a scale that is not positive, or far beyond any server.
    """
    if not 0 < scale <= _LARGEST_SCALE:
        message = f"the scale of a household is a number above 0 and up to {_LARGEST_SCALE}, not {scale:g}"
        raise UsageError(
            message, hint="1 sends 4 turns from 1,024 tokens on and one prompt of 8,192; try 0.05 on a CPU"
        )
    sizes = {name: max(fewest, round(usual * scale)) for name, (usual, fewest) in _HOUSEHOLD.items()}
    return Household(turns=_TURNS, **sizes)


def make_prompt_cells(
    prompts: OwnPrompts, output_tokens: Tokens, concurrencies: Sequence[int], arrivals: Arrivals
) -> tuple[Cell, ...]:
    """Return a cell per concurrency. Raises UsageError when the file has fewer prompts than a cell has streams."""
    most = max(concurrencies)
    if most > prompts.count:
        message = f"{prompts.name} holds {prompts.count} prompts, too few for {most} streams"
        raise UsageError(message, hint="ask for fewer streams, or add prompts")
    return tuple(
        Cell(prompt_tokens=0, output_tokens=output_tokens, concurrency=streams, prompts=prompts, arrivals=arrivals)
        for streams in concurrencies
    )


def make_replay_cells(replay: Replay, output_tokens: Tokens) -> tuple[Cell, ...]:
    """Return the one cell of a replay; ``output_tokens`` are for lines that tell no length of their answer."""
    return (Cell(prompt_tokens=0, output_tokens=output_tokens, replay=replay),)

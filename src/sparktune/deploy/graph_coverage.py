"""How many requests decode inside a captured CUDA graph, for what a vLLM is told and what its version makes of it.

A decode step has 1 + draft tokens per request. The engine captures steps of some sizes, counted in tokens; a larger
step is launched kernel by kernel. A largest size that is given is cut twice: to the ladder of sizes, and with drafts to
multiples of 1 + draft tokens that do not go beyond it.

Sources: vLLM, config/vllm.py ``_set_cudagraph_sizes`` and config/compilation.py
``adjust_cudagraph_sizes_for_spec_decode``; https://github.com/vllm-project/vllm pull 37865 and issues 50488 and 54933;
https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash docs/08 for how the default differs by version.
"""

__all__ = ["Coverage", "Graphs", "coverage", "ladder", "least_cap"]

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

_MOST_DEFAULT: Final = 512
_SMALL: Final = (1, 2, 4)
_STEP, _WIDE_STEP, _WIDE_FROM = 8, 16, 256
_MOST_TOKENS: Final = 8192  # far above any decode step that anybody captures
_ADDS_DECODE_SIZES: Final = (0, 33)  # from here on the default has the exact sizes of decode steps too
_TWICE: Final = (0, 25)  # from here on the default is twice what the requests need; 0.21 took it once


@dataclass(frozen=True, slots=True, kw_only=True)
class Graphs:
    """What an engine is told, in tokens; None for what it is not told. ``drafts`` is 0 without speculation.

    ``cap`` is the largest size, ``sizes`` are all of them. ``version`` is (0, 33) for vLLM 0.33, None where unknown.
    """

    requests: int | None
    drafts: int
    cap: int | None = None
    sizes: tuple[int, ...] | None = None
    batched_tokens: int | None = None
    version: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """``requests`` is the largest number that decodes inside a graph; ``tokens`` the largest captured size.

    ``steps`` says, in order, how the number given became that one: ``(36, 32, 24)``.
    """

    requests: int
    tokens: int
    steps: tuple[int, ...]


def ladder(most: int) -> tuple[int, ...]:
    """Return the sizes of the ladder up to a largest one: 1, 2, 4, then every 8th, from 256 on every 16th."""
    small = (size for size in _SMALL if size <= most)
    usual = range(_STEP, min(most + 1, _WIDE_FROM), _STEP)
    return tuple(chain(small, usual, range(_WIDE_FROM, most + 1, _WIDE_STEP)))


def coverage(graphs: Graphs) -> Coverage | None:
    """Return how many requests are covered; None where the default of an unknown version decides."""
    cap = graphs.cap if graphs.cap is not None or graphs.sizes else _default_cap(graphs)
    if graphs.sizes:
        given = max(graphs.sizes)
        sizes: Sequence[int] = tuple(sorted(set(graphs.sizes)))
    elif cap is None:
        return None
    else:
        given = min(cap, graphs.batched_tokens or cap, _MOST_TOKENS)
        sizes = _default_sizes(graphs, given) if graphs.cap is None else ladder(given)
    if not sizes:
        return Coverage(requests=0, tokens=0, steps=(given, 0))
    return _covered(given, sizes, graphs.drafts + 1)


def least_cap(requests: int, drafts: int) -> int | None:
    """Return the smallest cap with which that many requests are covered, None when there is none worth naming."""
    wanted = requests * (drafts + 1)
    for size in ladder(min(2 * wanted + _WIDE_FROM, _MOST_TOKENS)):
        if size >= wanted:
            found = coverage(Graphs(requests=requests, drafts=drafts, cap=size))
            if found is not None and found.requests >= requests:
                return size
    return None


def _covered(given: int, sizes: Sequence[int], tokens_each: int) -> Coverage:
    most = max(sizes)
    if tokens_each == 1:
        return Coverage(requests=most, tokens=most, steps=_changes(given, most))
    rounded = {-(-size // tokens_each) * tokens_each for size in sizes}
    kept = max((size for size in rounded if size <= most), default=0)
    return Coverage(requests=kept // tokens_each, tokens=kept, steps=_changes(given, most, kept))


def _changes(*steps: int) -> tuple[int, ...]:
    return tuple(size for place, size in enumerate(steps) if place == 0 or size != steps[place - 1])


def _default_cap(graphs: Graphs) -> int | None:
    """Return what the engine takes when it is told nothing; only versions whose formula is known have an answer."""
    if graphs.version is None or graphs.requests is None or graphs.version < (0, 21):
        return None
    needed = graphs.requests * (graphs.drafts + 1)
    return min(needed * (2 if graphs.version >= _TWICE else 1), _MOST_DEFAULT)


def _default_sizes(graphs: Graphs, most: int) -> tuple[int, ...]:
    sizes = set(ladder(most))
    if graphs.version is not None and graphs.version >= _ADDS_DECODE_SIZES and graphs.requests is not None:
        each = graphs.drafts + 1
        sizes |= set(range(each, min(graphs.requests * each, most) + 1, each))
    return tuple(sorted(sizes))

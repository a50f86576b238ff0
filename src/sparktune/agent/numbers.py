"""CPU sets as the kernel writes them: lists (``0-4,10-14``) and hexadecimal masks (``f83e0``, ``ff,ffffffff``).

Grammar: Documentation/admin-guide/cputopology.rst and the "cpu lists" section of kernel-parameters.rst.
"""

__all__ = ["cpu_mask", "cpus_of", "format_cpus", "mask_of", "plain_cpus", "same_cpus"]

import re
from collections.abc import Iterable

_HIGHEST_CPU = 65_535
_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?", re.ASCII)
_WORD_DIGITS = 8


def cpus_of(text: str) -> frozenset[int]:
    """Return the CPUs of a list, between commas or white space. Raises ValueError when it is none."""
    found: set[int] = set()
    for piece in text.replace(",", " ").split():
        match = _RANGE.fullmatch(piece)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not first <= last <= _HIGHEST_CPU:
            message = f"no CPU list: {text.strip()[:80]!r}"
            raise ValueError(message)
        found.update(range(first, last + 1))
    return frozenset(found)


def same_cpus(one: str, other: str) -> bool:
    """Tell whether two lists have the same CPUs; one that is no list is the same as nothing."""
    try:
        return cpus_of(one) == cpus_of(other)
    except ValueError:
        return False


def plain_cpus(text: str) -> str:
    """Return a list in the kernel's form, whoever wrote it; a text that is none as it is."""
    try:
        return format_cpus(cpus_of(text))
    except ValueError:
        return text


def format_cpus(cpus: Iterable[int]) -> str:
    """Return the shortest list of a set, as the kernel prints it."""
    pieces: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if pieces and pieces[-1][1] == cpu - 1:
            pieces[-1][1] = cpu
        else:
            pieces.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in pieces)


def mask_of(text: str) -> int:
    """Return a hexadecimal mask, with or without commas between its words, as a number. Raises ValueError."""
    words = text.strip().removeprefix("0x").split(",")
    if not all(re.fullmatch(r"[0-9a-fA-F]+", word) for word in words) or len(text) > _HIGHEST_CPU // 2:
        message = f"no CPU mask: {text.strip()[:80]!r}"
        raise ValueError(message)
    return int("".join([words[0], *(word.rjust(_WORD_DIGITS, "0") for word in words[1:])]), 16)


def cpu_mask(cpus: Iterable[int], like: str) -> str:
    """Return the mask of CPUs, as wide as ``like`` is."""
    digits = len(like.strip().replace(",", ""))
    text = f"{sum(1 << cpu for cpu in set(cpus)):x}".rjust(digits, "0")
    first = len(text) % _WORD_DIGITS
    words = [text[:first]] if first else []
    return ",".join([*words, *(text[at : at + _WORD_DIGITS] for at in range(first, len(text), _WORD_DIGITS))])

"""CPU sets as the kernel writes them: lists (``0-4,10-14``) and hexadecimal masks (``f83e0``, ``ff,ffffffff``).

Grammar: Documentation/admin-guide/cputopology.rst and the "cpu lists" section of kernel-parameters.rst.
"""

__all__ = ["HIGHEST_CPU", "CpuSet", "format_cpulist", "format_mask", "parse_cpulist", "parse_mask"]

import re

CpuSet = frozenset[int]

HIGHEST_CPU = 65_535  # far above any kernel's NR_CPUS; a list with a larger number is broken text, not a machine
_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6})(?::(\d{1,6})/(\d{1,6}))?)?", re.ASCII)
_WORD_BITS = 32
_HEX_DIGITS_PER_WORD = 8
_NOTHING = ("", "(null)")  # what sysfs says for an empty set; nohz_full says (null)


def parse_cpulist(text: str) -> CpuSet:
    """Return the CPUs of a list: numbers, ranges and ``first-last:used/group``, between commas or white space.

    An empty text is the empty set. Raises ValueError when the text is no list.
    """
    if text.strip() in _NOTHING:
        return frozenset()
    found: set[int] = set()
    for piece in re.split(r"[\s,]+", text.strip().strip(",")):
        match = _RANGE.fullmatch(piece)
        if match is None:
            message = f"no CPU list: {text.strip()[:80]!r}"
            raise ValueError(message)
        found.update(_members(match))
    return frozenset(found)


def _members(match: re.Match[str]) -> range | list[int]:
    first, last = int(match[1]), int(match[2] or match[1])
    used, group = int(match[3] or 1), int(match[4] or 1)
    if not first <= last <= HIGHEST_CPU or not 0 < used <= group:
        message = f"no CPU range: {match[0]!r}"
        raise ValueError(message)
    if used == group:
        return range(first, last + 1)
    return [cpu for cpu in range(first, last + 1) if (cpu - first) % group < used]


def format_cpulist(cpus: CpuSet) -> str:
    """Return the shortest list of a set, as the kernel prints it; the empty text for the empty set."""
    pieces: list[str] = []
    ordered = sorted(cpus)
    start = 0
    for position, cpu in enumerate(ordered):
        if position + 1 < len(ordered) and ordered[position + 1] == cpu + 1:
            continue
        first = ordered[start]
        pieces.append(str(cpu) if first == cpu else f"{first}-{cpu}")
        start = position + 1
    return ",".join(pieces)


def parse_mask(text: str) -> CpuSet:
    """Return the CPUs of a hexadecimal mask, with or without commas between its words of 32 bits.

    Raises ValueError when the text is no mask.
    """
    words = text.strip().removeprefix("0x").split(",")
    wrong = [word for word in words if re.fullmatch(r"[0-9a-fA-F]+", word) is None]
    too_long = len(words) > 1 and any(len(word) > _HEX_DIGITS_PER_WORD for word in words)
    if wrong or too_long or len(text) > HIGHEST_CPU // 2:
        message = f"no CPU mask: {text.strip()[:80]!r}"
        raise ValueError(message)
    value = int("".join([words[0], *(word.rjust(_HEX_DIGITS_PER_WORD, "0") for word in words[1:])]), 16)
    return frozenset(bit for bit in range(value.bit_length()) if value >> bit & 1)


def format_mask(cpus: CpuSet) -> str:
    """Return the mask as the kernel reads and prints it: words of 32 bits, commas between them."""
    value = sum(1 << cpu for cpu in cpus)
    words = []
    while True:
        words.append(value & (1 << _WORD_BITS) - 1)
        value >>= _WORD_BITS
        if not value:
            break
    words.reverse()
    return ",".join([f"{words[0]:x}", *(f"{word:08x}" for word in words[1:])])

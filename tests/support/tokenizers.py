"""Small tokenizers that count as differently as real ones do."""

import re
from collections.abc import Callable

Count = Callable[[str], int]


def words(text: str) -> int:
    """White space separates tokens."""
    return len(text.split())


def four_chars(text: str) -> int:
    """Every four characters are a token, the last ones too."""
    return -(-len(text) // 4)


def utf8_bytes(text: str) -> int:
    """Every byte is a token."""
    return len(text.encode())


def merging(text: str) -> int:
    """Pieces of up to six letters that swallow the space behind them; digits and marks stand alone, spaces pair up."""
    return len(re.findall(r"[^\W\d]{1,6} ?|\d|\s{1,2}|\W", text))


def pairs(text: str) -> int:
    """Two words that follow each other become one token, across any border: a prefix can count more than the whole."""
    return sum(1 if len(run) == 1 else len(run) - 1 for run in _runs(text.split()))


def doubling(text: str) -> int:
    """Every word is two tokens: odd numbers cannot be reached."""
    return 2 * len(text.split())


EXACT: dict[str, Count] = {"words": words, "four_chars": four_chars, "bytes": utf8_bytes, "merging": merging}


def _runs(items: list[str]) -> list[list[str]]:
    runs: list[list[str]] = []
    for item in items:
        if runs and len(runs[-1]) < 3 and len(item) < 4:
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs

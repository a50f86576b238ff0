"""Spellings that people already use: lists of numbers after one flag, as llama-benchy takes them."""

__all__ = ["join_lists"]

from collections.abc import Sequence
from itertools import takewhile

_LIST_FLAGS = frozenset({"--pp", "--prompt-tokens", "--tg", "--output-tokens", "--depth", "--concurrency"})


def join_lists(argv: Sequence[str]) -> list[str]:
    """Rewrite ``--pp 128 512 2048`` to ``--pp 128,512,2048``; everything else stays as it is.

    Only whole numbers directly after one of the list flags are joined, so a URL or a file after them keeps its place.
    """
    words = list(argv)
    joined: list[str] = []
    position = 0
    while position < len(words):
        word = words[position]
        if word == "--":
            return joined + words[position:]
        joined.append(word)
        position += 1
        values = list(takewhile(_is_number_list, words[position:])) if word in _LIST_FLAGS else []
        if values:
            joined.append(",".join(values))
            position += len(values)
    return joined


def _is_number_list(word: str) -> bool:
    return all(part.isdigit() for part in word.split(","))

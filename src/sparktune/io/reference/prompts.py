"""How the reference server counts tokens and remembers prompts: a token is a word between white space.

Block-wise prefix caching follows vLLM: only whole blocks are reused, a block counts only when all before it were seen,
and at least one token of a prompt is always computed (vLLM 0.33, ``v1/core/kv_cache_utils.py``).
"""

__all__ = ["BLOCK_TOKENS", "OUTPUT_WORDS", "PrefixCache", "Vocabulary", "output_text", "words"]

from collections.abc import Iterable, Sequence

BLOCK_TOKENS = 16

_TEXT = """
the river bends past old stone mills where slow water turns a wide wheel and children wave from small boats
that drift under green trees while an evening train hums along its far bank toward town lights bright as
morning some people walk home with warm bread others sing quiet songs by open doors until night covers every
roof
"""


def words(text: str) -> list[str]:
    """Split text into its tokens."""
    return text.split()


OUTPUT_WORDS = tuple(words(_TEXT))
"""What the server writes, over and over: output token i is word ``i`` modulo their number."""


def output_text(start: int, count: int) -> str:
    """Return output tokens ``start`` to ``start + count - 1`` as text; each brings its own leading space."""
    size = len(OUTPUT_WORDS)
    return "".join(" " + OUTPUT_WORDS[index % size] for index in range(start, start + count))


class Vocabulary:
    """Numbers for words, given in the order in which they are first seen; the output words come first."""

    def __init__(self) -> None:
        """Start with the words that the server writes itself."""
        self._ids: dict[str, int] = {}
        self._words: list[str] = []
        self.ids(OUTPUT_WORDS)

    def ids(self, tokens: Iterable[str]) -> list[int]:
        """Return the number of each word; a new word gets the next one."""
        found = []
        for token in tokens:
            number = self._ids.setdefault(token, len(self._words))
            if number == len(self._words):
                self._words.append(token)
            found.append(number)
        return found

    def text(self, ids: Sequence[int]) -> str:
        """Return the words of these numbers, joined by spaces; raises ValueError for a number never given."""
        unknown = [number for number in ids if not 0 <= number < len(self._words)]
        if unknown:
            message = f"no token has the id {unknown[0]}"
            raise ValueError(message)
        return " ".join(self._words[number] for number in ids)


class PrefixCache:
    """Remembers prompts by chains of block hashes, without a limit."""

    def __init__(self) -> None:
        """Start empty."""
        self._seen: set[int] = set()

    def reuse(self, tokens: Sequence[str], salt: str) -> int:
        """Return how many tokens of the prompt were seen as a prefix before, and remember all of it."""
        chain = hash(salt)
        hit_blocks = 0
        unbroken = True
        for start in range(0, len(tokens) - BLOCK_TOKENS + 1, BLOCK_TOKENS):
            chain = hash((chain, tuple(tokens[start : start + BLOCK_TOKENS])))
            unbroken = unbroken and chain in self._seen
            hit_blocks += unbroken
            self._seen.add(chain)
        return min(hit_blocks * BLOCK_TOKENS, max(0, (len(tokens) - 1) // BLOCK_TOKENS * BLOCK_TOKENS))

    def clear(self) -> None:
        """Forget everything."""
        self._seen.clear()

"""Options in the command that starts a server: which word belongs to which, as far as that shows without a grammar.

Source: the command lines of vLLM, SGLang and llama.cpp: a long or short option, its value in the same word behind ``=``
or in the next; options named here take all words up to the next one.
"""

__all__ = ["Flag", "flags_of", "hidden_model", "without_flag"]

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.formats.serving import Call

_FLAG = re.compile(r"-{1,2}[A-Za-z]")
# Options of servers that take all words up to the next option
_SEVERAL = frozenset(
    {
        "--allowed-origins",
        "--api-key",
        "--cuda-graph-bs",
        "--cuda-graph-capture-sizes",
        "--cudagraph-capture-sizes",
        "--lora-modules",
        "--lora-paths",
        "--middleware",
        "--served-model-name",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """An option: ``place`` is the index of its word, ``first`` and ``last`` those of its values; glued: ``--x=1``."""

    name: str
    text: str | None
    place: int
    first: int = -1
    last: int = -1
    glued: bool = False


def flags_of(call: Call) -> tuple[Flag, ...]:
    """Return the options of a command in their order; what is no value of one is a word of its own."""
    texts = [one.text for one in call.words]
    found: list[Flag] = []
    place = call.program
    while place < len(texts):
        text = texts[place]
        if not _FLAG.match(text):
            place += 1
            continue
        name, sign, value = text.partition("=")
        if sign:
            found.append(Flag(name=name, text=value, place=place, first=place, last=place, glued=True))
            place += 1
            continue
        last = _last_value(texts, place)
        values = texts[place + 1 : last + 1]
        found.append(
            Flag(name=name, text=" ".join(values) if values else None, place=place, first=place + 1, last=last)
        )
        place = last + 1
    return tuple(found)


def without_flag(texts: Sequence[str], name: str) -> list[str]:
    """Return words without the options of a name and their values."""
    kept: list[str] = []
    place = 0
    while place < len(texts):
        if texts[place].partition("=")[0] != name:
            kept.append(texts[place])
            place += 1
        else:
            place = _last_value(texts, place) + 1
    return kept


def _last_value(texts: Sequence[str], place: int) -> int:
    """Return the place of the last value of an option, that of the option itself where it has none."""
    name, sign, _ = texts[place].partition("=")
    last = place
    while not sign and last + 1 < len(texts) and not _is_option(texts[last + 1]):
        last += 1
        if name not in _SEVERAL:
            break
    return last


def _is_option(text: str) -> bool:
    """Whether a word begins an option; ``-1`` is a value."""
    return _FLAG.match(text) is not None or text == "--"


def hidden_model(call: Call, flags: Sequence[Flag]) -> bool:
    """Whether a word behind a flag may be the model: ``vllm serve --enable-x MODEL`` names it nowhere else."""
    texts = [one.text for one in call.words]
    if [one.rsplit("/", 1)[-1] for one in texts[: call.program]] != ["vllm", "serve"]:
        return False
    taken = {place for one in flags for place in (one.place, *range(one.first, one.last + 1))}
    free = any(place not in taken for place in range(call.program, len(texts)))
    return not free and not any(one.name in {"--model", "--config"} for one in flags)

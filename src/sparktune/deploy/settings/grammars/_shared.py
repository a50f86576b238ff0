"""How the options of an engine are written down: a table, ``KIND NAME ... NAME ...`` in every line.

After a name come its other spellings, which begin with a dash, those that say no, with an exclamation mark before
them, the one to write where it is not that of the name, with an equals sign, and its twin in the environment, in
capitals.
"""

__all__ = ["SUFFIXES", "options_of"]

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import cast

from sparktune.model.setting import Option, OptionKind, Value

SUFFIXES: Mapping[str, int] = {
    **{letter: 1000**power for power, letter in enumerate("kmgt", start=1)},
    **{letter: 1024**power for power, letter in enumerate("KMGT", start=1)},
}

_PAIRS = (("enable_", "--disable-"), ("disable_", "--enable-"))


def options_of(
    table: str, *, words: Mapping[str, Mapping[str, Value]] | None = None, paired: bool = False
) -> tuple[Option, ...]:
    """Return the options of a table. ``paired``: ``--disable-x`` says no to ``enable_x``, and the other way round."""
    options = [option for line in table.splitlines() if line.strip() for option in _options(line)]
    named = [replace(option, words=(words or {}).get(option.name, {})) for option in options]
    return tuple(_with_pair(option) if paired else option for option in named)


def _options(line: str) -> Iterator[Option]:
    kind, *words = line.split()
    groups: list[list[str]] = []
    for word in words:
        if word.islower() and word[0] not in "-!=":
            groups.append([word])
        else:
            groups[-1].append(word)
    for name, *rest in groups:
        yield Option(
            name=name,
            kind=cast("OptionKind", kind),
            aliases=tuple(word for word in rest if word.startswith("-")),
            off=tuple(word[1:] for word in rest if word.startswith("!")),
            written=next((word[1:] for word in rest if word.startswith("=")), ""),
            variable=next((word for word in rest if word[0] not in "-!="), ""),
        )


def _with_pair(option: Option) -> Option:
    for prefix, other in _PAIRS:
        if option.kind == "tristate" and option.name.startswith(prefix):
            spelling = other + option.name.removeprefix(prefix).replace("_", "-")
            return replace(option, off=(*option.off, spelling))
    return option

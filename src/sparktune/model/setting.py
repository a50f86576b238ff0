"""A setting of a service in one normal form, whatever wrote it, and where it was seen."""

__all__ = ["Grammar", "Layer", "Option", "Origin", "Setting", "Value"]

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, TypeAlias

Value: TypeAlias = "bool | int | float | str | tuple[Value, ...] | Mapping[str, Value] | None"
"""What a setting is: as JSON has it, lists as tuples."""


class Layer(Enum):
    """Where a setting can be seen: as earned, as a file says it, as the engine's log echoes it, as it is live."""

    EARNED = "earned"
    FILE = "file"
    ECHOED = "echoed"
    LIVE = "live"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """``place`` is a file, ``pid 4711 of spark1``, a log or an address; ``line`` counts from 1, 0 without."""

    layer: Layer
    place: str
    line: int = 0
    node: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting.

    ``key`` is the normal name: the engine's long name with underscores (``max_num_seqs``), dotted into maps
    (``speculative_config.num_speculative_tokens``), ``env.NAME`` for a variable that is no twin of a flag,
    ``key.cpuset`` for a key of the service. ``value`` is None where the setting is named and says nothing (an empty
    variable is ""). ``written`` is the text as it was written, secrets removed. ``origin`` says where; ``part`` which
    service.
    """

    key: str
    value: Value
    written: str
    origin: Origin
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of an engine.

    ``name`` is its long name without dashes, with underscores; ``aliases`` all other spellings, with their dashes
    (``-tp``, ``--tensor-parallel-size``). ``kind``: "switch" (given or not), "tristate" (``--x``, ``--no-x``, or the
    engine decides), "int" (human: 1k, 1K), "float", "text", "json", "list" (may take several words). ``variable`` is
    its twin in the environment, "" without one; the command line wins.
    """

    name: str
    kind: Literal["switch", "tristate", "int", "float", "text", "json", "list"]
    aliases: tuple[str, ...] = ()
    variable: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """How an engine's command line is read; the constant ``GRAMMAR`` of one file in ``deploy/settings/grammars``.

    ``engine`` is the id of the engine. ``dotted``: whether ``--a.b 1`` edits a map. ``underscores``: whether ``_`` may
    stand for ``-``. ``commands`` are the first words of a serving command (``vllm serve``). ``positional`` is the name
    of the option that a word without dashes sets, "" for none. ``suffixes``: how many ``1k`` is in it ("1k": 1000,
    "1K": 1024).
    """

    engine: str
    commands: tuple[tuple[str, ...], ...]
    options: tuple[Option, ...]
    dotted: bool = False
    underscores: bool = True
    positional: str = ""
    suffixes: Mapping[str, int] = field(default_factory=dict)

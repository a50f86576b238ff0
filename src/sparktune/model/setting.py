"""A setting of a service in one normal form, whatever wrote it, and where it was seen."""

__all__ = ["Dropped", "Grammar", "Layer", "Option", "OptionKind", "Origin", "Setting", "Value"]

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
    ``key.cpuset`` for a key of the service; of an option that nobody knows, what was written. ``value`` is None where
    the setting is named and says nothing (an empty variable is ""). ``written`` is how it was written, with its name,
    secrets removed from both. ``origin`` says where; ``part`` which service. ``absent``: what is said is that it is not
    there (an experiment earned that a flag is gone).
    """

    key: str
    value: Value
    written: str
    origin: Origin
    part: str = ""
    absent: bool = False


OptionKind = Literal["switch", "tristate", "int", "size", "float", "text", "optional", "json", "list", "ints"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A setting that was written and does not count: ``by`` is what counts instead, and ``why`` says how that came."""

    setting: Setting
    by: Setting
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of an engine.

    ``name`` is its long name without dashes, with underscores; ``aliases`` all other spellings, with their dashes
    (``-tp``, ``--device-memory-utilization``), ``off`` those that say no (``-nkvo``). ``kind``: "switch" (given or
    not), "tristate" (``--x``, ``--no-x``, or the engine decides), "int", "size" (a whole number, also 1k and 1K),
    "float", "text", "optional" (a text that may be left out), "json" (a text where it is none), "list" (may take
    several words), "ints" (the same, whole numbers). ``words`` are values with a meaning of their own, "" that of an
    option without one. ``variable`` is its twin in the environment, "" without one; the command line wins. ``written``
    is how it is spelled where that is not ``--`` and its name.
    """

    name: str
    kind: OptionKind
    aliases: tuple[str, ...] = ()
    off: tuple[str, ...] = ()
    variable: str = ""
    words: Mapping[str, Value] = field(default_factory=dict)
    written: str = ""

    @property
    def flag(self) -> str:
        """How it is written out."""
        return self.written or "--" + self.name.replace("_", "-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """How an engine's command line is read; the constant ``GRAMMAR`` of one file in ``deploy/settings/grammars``.

    ``engine`` is the id of the engine. ``dotted``: whether ``--a.b 1`` edits a map. ``underscores``: whether ``_`` may
    stand for ``-``. ``equals``: whether ``--x=1`` says the same as ``--x 1``; without, every word after an option that
    wants one is its value. ``prefixes``: whether the beginning of a name is enough where only one begins so.
    ``commands`` are the first words of a serving command (``vllm serve``). ``positional`` is the name of the option
    that a word without dashes sets, "" for none. ``config`` is the option that names a file with more options, "" for
    none. ``suffixes``: how many ``1k`` is in it ("k": 1000, "K": 1024). ``same``: keys that say what another key says,
    and are written with its name; an engine refuses to be given both. ``version`` is whose options these are
    ("vLLM 0.33.0"): others may have more, or fewer.
    """

    engine: str
    version: str
    commands: tuple[tuple[str, ...], ...]
    options: tuple[Option, ...]
    dotted: bool = False
    underscores: bool = True
    equals: bool = True
    prefixes: bool = False
    positional: str = ""
    config: str = ""
    suffixes: Mapping[str, int] = field(default_factory=dict)
    same: Mapping[str, str] = field(default_factory=dict)

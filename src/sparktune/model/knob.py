"""What is known of one setting: where it is set, what it may be, what it touches, what it was seen to do."""

__all__ = ["Effect", "Interaction", "Knob", "Place"]

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where it is set. ``engine`` "" is any; ``name`` as written (``--max-num-seqs``, ``VLLM_X``, ``vm.swappiness``).

    ``kind``: a flag of the engine, a variable, a key of a compose service, a field of a recipe, a setting of the host,
    or a field of a request. ``versions`` says for which versions or images, "" for all that are known.
    """

    kind: Literal["flag", "env", "compose", "recipe", "host", "request"]
    name: str
    engine: str = ""
    versions: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """``other`` is the id of a knob; ``what`` says how the two depend on each other."""

    other: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """``what`` somebody saw, with its numbers; ``conditions`` under which; ``source`` where that is written.

    ``measured`` is whether numbers were given at all; none of it is ours.
    """

    what: str
    conditions: str
    source: str
    measured: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """One setting; the constant ``KNOB`` of one file in ``deploy/knobs``.

    ``id`` is the normal name of the setting, and stays. ``legal`` says what it may be, for people; ``least`` and
    ``most`` where it is a number, ``choices`` where it is one of some. ``takes`` is what a change costs. ``measure``
    names the metrics that tell, the deciding one first; ``quality``: whether it may change what the model says, so that
    a verdict needs a test of that. ``raises_memory``: a larger value wants more memory. ``whole``: it is a whole
    number. ``words`` are values beside numbers (``auto``). ``several``: one value may have commas itself.
    """

    id: str
    title: str
    does: str
    places: tuple[Place, ...]
    legal: str
    takes: Literal["live", "restart", "reboot"]
    measure: tuple[str, ...]
    source: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    fallback: str = ""
    quality: bool = False
    raises_memory: bool = False
    whole: bool = False
    words: tuple[str, ...] = ()
    several: bool = False
    interactions: tuple[Interaction, ...] = ()
    effects: tuple[Effect, ...] = ()

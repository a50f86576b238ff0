"""What people write of a workload - lists, arrivals, a household, a file of prompts or of traffic - as cells."""

__all__ = ["HouseholdConfig", "ReplayFile", "WorkloadShape", "shape_cells"]

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import msgspec

from sparktune.bench.cells import (
    make_arrivals,
    make_cells,
    make_household,
    make_prompt_cells,
    make_replay_cells,
)
from sparktune.bench.corpus import Corpus
from sparktune.bench.slo import parse_seconds
from sparktune.errors import UsageError
from sparktune.io.corpus import python_corpus
from sparktune.io.own_prompts import own_prompts_of, prompts_corpus
from sparktune.io.traffic import replay_of, traffic_corpus
from sparktune.model.cell import Cell
from sparktune.model.mix import Household
from sparktune.units import Seconds, Tokens

_Length = Annotated[int, msgspec.Meta(ge=1, le=100_000_000)] | None


class HouseholdConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A household by its scale, with single lengths of one's own; see ``model.mix.Household``."""

    scale: Annotated[float, msgspec.Meta(gt=0)] = 1.0
    turns: Annotated[int, msgspec.Meta(ge=2, le=1000)] | None = None
    opening_tokens: _Length = None
    turn_tokens: _Length = None
    reply_tokens: _Length = None
    long_tokens: _Length = None
    long_reply_tokens: _Length = None

    def household(self) -> Household:
        """Return the mix that is meant. Raises UsageError for a scale beyond any server."""
        own = {name: value for name, value in msgspec.structs.asdict(self).items() if name != "scale"}
        return replace(make_household(self.scale), **{name: value for name, value in own.items() if value is not None})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayFile:
    """A trace to replay, the first ``limit`` requests of it, its times multiplied by ``time_scale``."""

    path: Path
    time_scale: float = 1.0
    limit: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadShape:
    """What was asked for; ``prompt_tokens`` empty is "not given". ``stagger`` is a time as people write it."""

    prompt_tokens: Sequence[Tokens] = ()
    output_tokens: Sequence[Tokens] = (128,)
    depth: Sequence[Tokens] = (0,)
    concurrency: Sequence[int] = (1,)
    stagger: str | float = ""
    arrival_rate: float = 0.0
    household: HouseholdConfig | None = None
    prompts: Path | None = None
    nonce: bool = False
    replay: ReplayFile | None = None
    lists: frozenset[str] = field(default_factory=frozenset)  # the names of lists that were written


def shape_cells(shape: WorkloadShape) -> tuple[tuple[Cell, ...], Corpus | None]:
    """Return the cells, and the corpus of their own prompts where they have some.

    Raises UsageError for what excludes each other, and for prompts that cannot be read.
    """
    _refuse_both(shape)
    if shape.household:
        return (Cell.of_household(shape.household.household()),), None
    if shape.replay:
        return _replay(shape, shape.replay)
    arrivals = make_arrivals(_seconds(shape.stagger), shape.arrival_rate)
    if shape.prompts is None:
        cells = make_cells(shape.prompt_tokens, shape.output_tokens, shape.depth, shape.concurrency, arrivals)
        return cells, None
    corpus = prompts_corpus(shape.prompts)
    if len(shape.output_tokens) > 1:
        message = f"own prompts ask for one number of output tokens, not for {len(shape.output_tokens)}"
        raise UsageError(message, hint='give one, or "output_tokens" in the lines of the file')
    own = own_prompts_of(corpus, nonce=shape.nonce)
    return make_prompt_cells(own, shape.output_tokens[0], shape.concurrency, arrivals), corpus


def _replay(shape: WorkloadShape, replay: ReplayFile) -> tuple[tuple[Cell, ...], Corpus]:
    if len(shape.output_tokens) > 1:
        message = f"a replay asks for one number of output tokens where a line tells none, not {shape.output_tokens}"
        raise UsageError(message, hint="give one, or none")
    corpus = traffic_corpus(replay.path, python_corpus(), limit=replay.limit)
    return make_replay_cells(replay_of(corpus, replay.time_scale), shape.output_tokens[0]), corpus


def _refuse_both(shape: WorkloadShape) -> None:
    given = (("household", shape.household), ("prompts", shape.prompts), ("replay", shape.replay))
    mixes = [name for name, one in given if one]
    others = {"prompt_tokens", "output_tokens", "depth"} if "household" in mixes else {"prompt_tokens", "depth"}
    if mixes and mixes != ["prompts"]:
        others |= {"concurrency", *(name for name in ("stagger", "arrival_rate") if getattr(shape, name))}
        clash = sorted((shape.lists & others) | (others & {"stagger", "arrival_rate"}) | set(mixes[1:]))
    else:
        clash = sorted(shape.lists & others) if mixes else []
    if clash:
        message = f"{mixes[0]} has its own shape, {', '.join(clash)} cannot be set beside it"
        raise UsageError(message, hint="leave one of them out")
    if shape.nonce and shape.prompts is None:
        message = "a nonce of its own is for own prompts; all others have one"
        raise UsageError(message, hint="leave it out, or name a file of prompts")


def _seconds(text: str | float) -> Seconds:
    return float(text) if isinstance(text, int | float) else parse_seconds(text or "0", name="the stagger")

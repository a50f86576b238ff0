"""What ``sparktune bench`` was asked for, as typed as a command line can be, and the workload it means."""

__all__ = ["SHAPES", "BenchArguments", "cells_of", "finite_number", "workload_of"]

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TypeVar

from sparktune.bench.cells import parse_numbers
from sparktune.bench.corpus import Corpus
from sparktune.bench.slo import parse_slo
from sparktune.errors import UsageError
from sparktune.io.workload_cells import HouseholdConfig, ReplayFile, WorkloadShape, shape_cells
from sparktune.model.cell import Cell
from sparktune.model.options import Api, SendOptions, Thinking
from sparktune.model.warmup import WarmupPlan
from sparktune.model.workload import Workload
from sparktune.units import Seconds

_FIXED_BY_A_RUN = frozenset(
    {
        "model",
        "prompt_tokens",
        "output_tokens",
        "depth",
        "concurrency",
        "trials",
        "warmup",
        "workload",
        "api",
        "natural",
    }
    | {"stagger", "arrival_rate", "household", "nonce", "scale_time"}
    | {"thinking", "temperature", "seed", "sampling_seed", "extra_body", "slo", "stall", "timeout"}
)
SHAPES = frozenset({"stagger", "arrival_rate", "household", "prompts", "nonce", "scale_time", "limit"})
_LISTS = frozenset({"prompt_tokens", "output_tokens", "depth", "concurrency"})
_TRACE = ".jsonl"
_OFF = "off"
_Choice = TypeVar("_Choice", bound=Enum)
_Number = TypeVar("_Number", float, float | None)
_APIS: Mapping[str, Api] = {"chat": Api.CHAT, "completions": Api.COMPLETIONS}
_MOST_WAVES_DIGITS = 6
_THINKING: Mapping[str, Thinking] = {choice.value: choice for choice in Thinking}


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchArguments:
    """The options of the command, by the names that its help explains; "" and None are "not given".

    ``given`` are the options that were written, whatever their value.
    """

    url: str
    service: str
    model: str
    api_key: str
    api_key_file: Path | None
    wait_s: Seconds
    prompt_tokens: str
    output_tokens: str
    depth: str
    concurrency: str
    trials: int
    warmup: str
    corpus: Path | None
    workload: str
    api: str
    fixed_length: bool
    thinking: str
    temperature: float | None
    seed: int
    sampling_seed: int | None
    extra_body: str
    slo: str
    stall_s: Seconds
    timeout_s: Seconds
    save: tuple[Path, ...]
    save_result: tuple[Path, ...]
    form: str
    json: bool
    quiet: bool
    resume: str
    stagger: str = ""
    arrival_rate: float = 0.0
    household: float | None = None
    prompts: Path | None = None
    nonce: bool = False
    client_cores: str = ""
    scale_time: float = 1.0
    limit: int | None = None
    given: frozenset[str] = frozenset()

    @property
    def trace(self) -> Path | None:
        """The trace that is to be replayed, where ``--workload`` names a file and no workload of sparktune.yaml."""
        return Path(self.workload).expanduser() if self.workload.endswith(_TRACE) else None


def refuse_changes(arguments: BenchArguments) -> None:
    """Raise UsageError when a run is to go on and something is asked for that would make it another one."""
    fixed = _FIXED_BY_A_RUN - ({"workload"} if arguments.trace else set())  # the file of a replay has to be named
    changed = sorted(f"--{name.replace('_', '-')}" for name in arguments.given & fixed)
    if changed:
        message = f"--resume goes on with the run as it was begun, and {', '.join(changed)} would change it"
        raise UsageError(message, hint="leave them out, or start a new run without --resume")


def workload_of(arguments: BenchArguments, cells: tuple[Cell, ...], trials: int, *, model: str) -> Workload:
    """Return the workload of these cells; ``model`` "" is the only one served. Its corpus is named when it is read.

    Raises UsageError for an option that cannot be understood.
    """
    return Workload(
        cells=cells,
        trials=trials,
        options=SendOptions(
            model=model,
            api=_choose(_APIS, arguments.api, "--api"),
            fixed_length=arguments.fixed_length,
            thinking=_choose(_THINKING, arguments.thinking, "--thinking"),
            temperature=finite_number(arguments.temperature, "--temperature"),
            seed=arguments.sampling_seed,
            extra_body=_json_object(arguments.extra_body),
        ),
        warmup=_warmup(_OFF if arguments.trace and "warmup" not in arguments.given else arguments.warmup),
        slo=parse_slo(arguments.slo),
        seed=arguments.seed,
        stall_s=finite_number(arguments.stall_s, "--stall"),
        timeout_s=finite_number(arguments.timeout_s, "--timeout"),
    )


def cells_of(arguments: BenchArguments) -> tuple[tuple[Cell, ...], Corpus | None]:
    """Return the cells that the flags mean, and the corpus of own prompts. Raises UsageError."""
    scale = finite_number(arguments.household, "--household")
    if scale is not None and scale <= 0:
        message = f"--household takes a scale above 0, not {scale:g}"
        raise UsageError(message, hint="1 is for a server that reads some thousand tokens a second, 0.05 for a CPU")
    return shape_cells(
        WorkloadShape(
            prompt_tokens=parse_numbers(arguments.prompt_tokens, flag="--prompt-tokens"),
            output_tokens=parse_numbers(arguments.output_tokens, flag="--output-tokens"),
            depth=parse_numbers(arguments.depth, flag="--depth", smallest=0),
            concurrency=parse_numbers(arguments.concurrency, flag="--concurrency"),
            stagger=arguments.stagger,
            arrival_rate=finite_number(arguments.arrival_rate, "--arrival-rate"),
            household=None if scale is None else HouseholdConfig(scale=scale),
            prompts=arguments.prompts,
            nonce=arguments.nonce,
            replay=_replay(arguments),
            lists=arguments.given & _LISTS,
        )
    )


def _replay(arguments: BenchArguments) -> ReplayFile | None:
    if arguments.trace is not None:
        scale = finite_number(arguments.scale_time, "--scale-time")
        return ReplayFile(path=arguments.trace, time_scale=scale, limit=arguments.limit)
    alone = sorted(f"--{name.replace('_', '-')}" for name in arguments.given & {"scale_time", "limit"})
    if alone:
        message = f"{', '.join(alone)} is for a replay, and no trace is named"
        raise UsageError(message, hint="name one: --workload FILE.jsonl")
    return None


def _warmup(text: str) -> WarmupPlan:
    if text == "auto":
        return WarmupPlan()
    if text == _OFF:
        return WarmupPlan(waves=0)
    if text.isascii() and text.isdigit() and len(text) <= _MOST_WAVES_DIGITS:
        return WarmupPlan(waves=int(text))
    message = f"--warmup takes auto, off or a number of waves, not {text[:40]!r}"
    raise UsageError(message, hint="leave it out for auto")


def finite_number(value: _Number, flag: str) -> _Number:
    """Return the value. Raises UsageError for nan and inf, which a number option also reads."""
    if value is None or math.isfinite(value):
        return value
    message = f"{flag} takes a finite number, not {value}"
    raise UsageError(message, hint="leave it out for the usual")


def _choose(choices: Mapping[str, _Choice], text: str, flag: str) -> _Choice:
    if text in choices:
        return choices[text]
    message = f"{flag} does not know {text!r}"
    raise UsageError(message, hint=f"it knows: {', '.join(choices)}")


def _json_object(text: str) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        message = f"--extra-body is no JSON: {error}"
        raise UsageError(message, hint="""quote it for the shell: --extra-body '{"top_k": 1}'""") from None
    if not isinstance(value, dict):
        message = f"--extra-body must be a JSON object, not {text[:40]!r}"
        raise UsageError(message, hint="""for instance: --extra-body '{"top_k": 1}'""")
    return text

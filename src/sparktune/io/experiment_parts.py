"""The parts of an experiment file that are more than one value: workload, primary, guards."""

__all__ = ["guards_of", "metric_named", "primary_of", "prompts_file", "workload_of"]

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from sparktune.bench.evaluate import all_metrics
from sparktune.errors import UsageError
from sparktune.experiment.effect import Better
from sparktune.experiment.plan import GuardMetric, Primary
from sparktune.io.experiment_values import Fault, nearest
from sparktune.io.workload_cells import HouseholdConfig, ReplayFile, WorkloadShape, shape_cells
from sparktune.model.cell import Cell
from sparktune.model.metric import Better as MetricBetter
from sparktune.model.metric import Metric, Scope
from sparktune.model.options import Api, SendOptions, Thinking
from sparktune.model.warmup import WarmupPlan
from sparktune.model.workload import Workload

_Ones = Annotated[tuple[Annotated[int, msgspec.Meta(ge=1)], ...], msgspec.Meta(min_length=1)]
_Zeros = Annotated[tuple[Annotated[int, msgspec.Meta(ge=0)], ...], msgspec.Meta(min_length=1)]
_LISTS: Final = ("prompt_tokens", "output_tokens", "depth", "concurrency")
_APIS: Final = {"chat": Api.CHAT, "completions": Api.COMPLETIONS}
_TRIALS: Final = 3
_PROMPT_TOKENS: Final = (512,)
# How alike streams are can be won by making all of them wait, so it is shown and decides nothing.
_ALIKENESS: Final = frozenset(
    {"ttft_spread_s", "ttft_gap_s", "ttft_max_over_median", "jain_ttft", "jain_decode", "decode_min_over_max"}
)
# Who waits longest may not wait less because everybody waits more, or because those who write are starved.
_FAIRNESS: Final = {"ttft_max_s": ("ttft_mean_s", "decode_min_tok_s")}


class _Workload(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``workload:`` of an experiment file; names and meanings as the flags of ``bench``."""

    prompt_tokens: _Ones | None = None
    output_tokens: _Ones | None = None
    depth: _Zeros | None = None
    concurrency: _Ones | None = None
    stagger: str | Annotated[float, msgspec.Meta(ge=0)] = ""
    arrival_rate: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    household: HouseholdConfig | None = None
    prompts: str | None = None
    nonce: bool = False
    replay: str | None = None
    time_scale: Annotated[float, msgspec.Meta(ge=0, le=1e6)] = 1.0
    limit: Annotated[int, msgspec.Meta(ge=1)] | None = None
    trials: Annotated[int, msgspec.Meta(ge=1, le=1000)] = _TRIALS
    warmup: Literal["auto", "off"] | Annotated[int, msgspec.Meta(ge=0, le=1000)] = "auto"
    model: str = ""
    api: Literal["chat", "completions"] = "chat"
    natural: bool = False
    thinking: Literal["server", "on", "off"] = "server"
    temperature: Annotated[float, msgspec.Meta(ge=0)] | None = None
    sampling_seed: int | None = None
    extra_body: dict[str, Any] = msgspec.field(default_factory=dict)
    stall_s: Annotated[float, msgspec.Meta(gt=0)] = 120.0
    timeout_s: Annotated[float, msgspec.Meta(gt=0)] = 3600.0


def workload_of(values: Mapping[str, Any], seed: int, fault: Fault) -> Workload:
    """Return the workload of a section. Raises UsageError."""
    known = tuple(item.name for item in msgspec.structs.fields(_Workload))
    for key in values:
        if key not in known:
            raise fault(("workload", key), f"unknown key {key!r}", nearest(str(key), known))
    listed = {key: [value] if key in _LISTS and isinstance(value, int) else value for key, value in values.items()}
    try:
        section = msgspec.convert(listed, _Workload)
        return Workload(
            cells=tuple(dict.fromkeys(_cells(section))),
            trials=section.trials,
            options=_options(section),
            warmup=_warmup(section.warmup),
            seed=seed,
            stall_s=section.stall_s,
            timeout_s=section.timeout_s,
        )
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$.")
        key = path.rstrip("`").partition("[")[0].partition(".")[0]
        raise fault(("workload", key) if key else ("workload",), message, f"known here: {', '.join(known)}") from None
    except UsageError as error:
        raise fault(("workload",), str(error), error.hint) from None


def prompts_file(values: Mapping[str, Any]) -> str:
    """Return where the own prompts or the trace of a workload are, for when it is resumed elsewhere; "" without any."""
    prompts = values.get("prompts") or values.get("replay")
    return str(Path(prompts).expanduser().absolute()) if isinstance(prompts, str) and prompts else ""


def primary_of(value: object, fault: Fault) -> Primary:
    """Return the one number that decides, from its name or a mapping with ``metric`` and ``weights``.

    Raises UsageError.
    """
    section = {"metric": value} if isinstance(value, str) else value
    if not isinstance(section, Mapping) or not isinstance(section.get("metric"), str):
        raise fault(("primary",), "a metric is wanted here", "for instance primary: output_tok_s")
    for key in section:
        if key not in ("metric", "weights"):
            raise fault(("primary", key), f"unknown key {key!r}", "known here: metric, weights")
    metric = metric_named(section["metric"], ("primary",), fault)
    return Primary(metric=metric.name, better=_better(metric), weights=_weights(section.get("weights"), fault))


def guards_of(values: object, primary: Primary, fault: Fault) -> tuple[GuardMetric, ...]:
    """Return metrics that must not get worse: names, ``NAME:MARGIN``, or mappings with ``metric`` and ``margin``.

    Where nothing is said, the worst wait as primary has the mean wait and the slowest stream beside it.
    Raises UsageError.
    """
    if values is None:
        values = _FAIRNESS.get(primary.metric, ())
    if not isinstance(values, list | tuple):
        raise fault(("guards",), "a list of metrics is wanted here", "for instance guards: [ttft_s]")
    found: dict[str, GuardMetric] = {}
    for place, value in enumerate(values):
        guard = _guard(value, ("guards", place), fault)
        if guard.metric in found:
            raise fault(("guards", place), f"{guard.metric} is named twice", "name every guard once")
        found[guard.metric] = guard
    return tuple(found.values())


def metric_named(name: str, where: tuple[Any, ...], fault: Fault) -> Metric:
    """Return a metric that can be compared: of one value per trial, with a better direction. Raises UsageError."""
    known = {metric.name: metric for metric in all_metrics()}
    can = [
        one.name
        for one in known.values()
        if one.better is not MetricBetter.NEITHER and one.scope is not Scope.POSITION and one.name not in _ALIKENESS
    ]
    if name in can:
        return known[name]
    hint = nearest(name, can)
    if name in _ALIKENESS:
        message = f"{name} only describes: how alike streams are can be won by making all of them wait"
        raise fault(where, message, "for fairness take ttft_max_s, the worst wait, with ttft_mean_s beside it")
    if name in known:
        raise fault(where, f"{name} only describes: no direction of it is better", hint)
    raise fault(where, f"there is no metric {name!r}", hint)


def _guard(value: object, where: tuple[Any, ...], fault: Fault) -> GuardMetric:
    name, margin = value, None
    if isinstance(value, Mapping):
        if not set(value) <= {"metric", "margin"}:
            raise fault(where, "a guard has metric and margin", "for instance {metric: ttft_s, margin: 0.05}")
        name, margin = value.get("metric"), value.get("margin")
    if isinstance(name, str) and ":" in name:
        name, _, text = name.partition(":")
        margin = _number(text)
        if margin is None:
            raise fault(where, f"{text!r} is no margin", "write it as a share: ttft_s:0.05")
    if not isinstance(name, str):
        raise fault(where, "a metric is wanted here", "for instance ttft_s, or {metric: ttft_s, margin: 0.05}")
    metric = metric_named(name, where, fault)
    if margin is None:
        return GuardMetric(metric=metric.name, better=_better(metric))
    if isinstance(margin, bool) or not isinstance(margin, int | float) or not 0 < margin < 1:
        raise fault(where, f"a margin is a share inside (0, 1), not {margin!r}", "0.05 is 5 %")
    return GuardMetric(metric=metric.name, better=_better(metric), margin=float(margin))


def _weights(values: object, fault: Fault) -> dict[str, float]:
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise fault(("primary", "weights"), "numbers by cell are wanted here", "for instance {pp512 tg128 c1: 2}")
    found = {}
    for cell, weight in values.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < math.inf:
            where = ("primary", "weights", cell)
            raise fault(where, f"a weight is a number from 0 on, not {weight!r}", "0 leaves a cell out")
        found[str(cell)] = float(weight)
    return found


def _cells(section: _Workload) -> tuple[Cell, ...]:
    written = {name: value for name in _LISTS if (value := getattr(section, name)) is not None}
    mixed = any(mix is not None for mix in (section.household, section.prompts, section.replay))
    lists = written if mixed else {"prompt_tokens": _PROMPT_TOKENS, **written}
    cells, _ = shape_cells(
        WorkloadShape(
            **lists,
            stagger=section.stagger,
            arrival_rate=section.arrival_rate,
            household=section.household,
            prompts=Path(section.prompts).expanduser() if section.prompts else None,
            nonce=section.nonce,
            replay=_replay(section),
            lists=frozenset(written),
        )
    )
    return cells


def _replay(section: _Workload) -> ReplayFile | None:
    if not section.replay:
        return None
    return ReplayFile(path=Path(section.replay).expanduser(), time_scale=section.time_scale, limit=section.limit)


def _better(metric: Metric) -> Better:
    return Better.HIGHER if metric.better is MetricBetter.HIGHER else Better.LOWER


def _options(section: _Workload) -> SendOptions:
    return SendOptions(
        model=section.model,
        api=_APIS[section.api],
        fixed_length=not section.natural,
        thinking=Thinking(section.thinking),
        temperature=section.temperature,
        seed=section.sampling_seed,
        extra_body=json.dumps(section.extra_body),
    )


def _warmup(value: str | int) -> WarmupPlan:
    return WarmupPlan() if value == "auto" else WarmupPlan(waves=0 if value == "off" else int(value))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None

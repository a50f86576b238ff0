"""An experiment as people write it, in YAML or as flags: one form, checked in one place, and every fault with its line.

::

    name: parallel slots
    url: http://127.0.0.1:8080/v1
    launcher: command
    knob: --parallel
    a: {command: llama-server -m model.gguf --port 8080 --parallel 1}
    b: {command: llama-server -m model.gguf --port 8080 --parallel 4}
    live: {http: /props, keys: total_slots, A: 1, B: 4}
    workload: {prompt_tokens: 512, output_tokens: 128, concurrency: [1, 4]}
    primary: output_tok_s
    guards: [ttft_s, "decode_tok_s:0.05"]
    guard: {stop_engine: true, available_floor: 3GiB}
    quality: {tools: true, canary: true}
"""

__all__ = ["KEYS", "read_experiment_file", "request_of"]

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sparktune.deploy.arm_planner import ArmPlanner
from sparktune.deploy.launchers import all_launchers
from sparktune.errors import UsageError
from sparktune.experiment.design import Arm
from sparktune.experiment.plan import GuardMetric, Primary
from sparktune.experiment.request import BLOCK_COUNTS, Request
from sparktune.io.config_text import read_config_text
from sparktune.io.experiment_guard import protection_of
from sparktune.io.experiment_knob import knob_of, way_of
from sparktune.io.experiment_parts import guards_of, metric_named, primary_of, prompts_file, workload_of
from sparktune.io.experiment_quality import quality_of
from sparktune.io.experiment_values import (
    Fault,
    boolean_at,
    mapping_at,
    names_at,
    nearest,
    seconds_at,
    share_at,
    text_at,
)
from sparktune.io.http.address import parse_address
from sparktune.model.launcher import ArmSpec, Launcher
from sparktune.model.workload import Workload
from sparktune.units import Ratio

KEYS: Final = (
    "name",
    "url",
    "service",
    "launcher",
    "knob",
    "a",
    "b",
    "where",
    "live",
    "workload",
    "primary",
    "guards",
    "margin",
    "equivalence",
    "equivalence_test",
    "max_blocks",
    "seed",
    "aa",
    "settle_s",
    "nodes",
    "guard",
    "quality",
)
_BY_LETTER: Final = "attach"  # a person may be asked for an arm by its letter alone
_PRIMARY: Final = "output_tok_s"
_SETTLE_S: Final = 60.0
# What is too small to matter, and what is surely not: by the noise that rates and waiting times have.
_MARGINS: Final = {"s": {"margin": 0.05, "equivalence": 0.10}}
_RATE_MARGINS: Final = {"margin": 0.03, "equivalence": 0.05}


def read_experiment_file(path: Path) -> tuple[Mapping[str, Any], Fault]:
    """Return what a file says, and how to complain about a place in it. Raises UsageError."""
    text = read_config_text(path)

    def fault(where: tuple[Any, ...], message: str, hint: str) -> UsageError:
        return text.error(where, message, hint=hint)

    return text.mapping(()), fault


def request_of(values: Mapping[str, Any], seed: int, fault: Fault) -> Request:
    """Return the experiment that the values mean. Raises UsageError for whatever could not be carried out.

    ``url`` is wanted, whether or not a service is named too: who knows services has looked it up before.
    """
    _refuse_unknown_keys(values, fault)
    launcher = _launcher(values.get("launcher"), fault)
    aa, same = _way(values, fault)
    arms = _arms(values, launcher, aa=aa, fault=fault)
    workload = workload_of(mapping_at(values, "workload", fault), seed, fault)
    primary = _primary(values, workload, fault)
    spec = _spec(values, arms, launcher, fault)
    return Request(
        name=text_at(values, "name", fault) or ("A against A" if aa else "A against B"),
        base_url=spec.endpoint,
        launcher=launcher.id,
        knob=_knob(values, arms, aa=aa, same=same, fault=fault),
        arms=arms,
        live=spec.live,
        where=spec.where,
        workload=workload,
        prompts=prompts_file(mapping_at(values, "workload", fault)),
        primary=primary,
        guards=_guards(values, primary, fault),
        margin=_margin(values, "margin", primary, fault),
        equivalence=_margin(values, "equivalence", primary, fault),
        blocks=_blocks(values, fault),
        aa=aa,
        hot_settle_s=seconds_at(values, "settle_s", _SETTLE_S, fault),
        nodes=names_at(values, "nodes", fault),
        protection=protection_of(values.get("guard"), fault),
        quality=quality_of(values.get("quality"), fault),
        only_equivalence=same,
        scope={"service": service} if (service := text_at(values, "service", fault)) else {},
    )


def _refuse_unknown_keys(values: Mapping[str, Any], fault: Fault) -> None:
    for key in values:
        if key not in KEYS:
            raise fault((key,), f"unknown key {key!r}", nearest(str(key), KEYS))


def _knob(
    values: Mapping[str, Any], arms: Mapping[Arm, Mapping[str, Any]], *, aa: bool, same: bool, fault: Fault
) -> str:
    knob = text_at(values, "knob", fault)
    return way_of(knob) if same else knob_of(values, arms, knob, aa=aa, fault=fault)


def _way(values: Mapping[str, Any], fault: Fault) -> tuple[bool, bool]:
    """Return whether one arm is measured twice, and whether two are to be shown to be the same."""
    aa, same = boolean_at(values, "aa", fault), boolean_at(values, "equivalence_test", fault)
    if aa and same:
        hint = "leave equivalence_test out: how large the noise is, the same arm twice tells"
        raise fault(("equivalence_test",), "the same arm is measured twice: there are no two ways to compare", hint)
    return aa, same


def _spec(
    values: Mapping[str, Any], arms: Mapping[Arm, Mapping[str, Any]], launcher: Launcher, fault: Fault
) -> ArmSpec:
    spec = ArmSpec(
        arms={arm.value: own for arm, own in arms.items()},
        live=mapping_at(values, "live", fault),
        where=_where(values, fault),
        endpoint=_url(values, fault),
    )
    _check_arms(ArmPlanner(launcher=launcher.id, spec=spec), launcher, fault)
    return spec


def _launcher(name: object, fault: Fault) -> Launcher:
    known = {launcher.id: launcher for launcher in all_launchers()}
    if isinstance(name, str) and name in known:
        return known[name]
    what = "how the arms are set is not said" if name is None else f"there is no launcher {name!r}"
    titles = "; ".join(f"{one.id}: {one.title}" for one in known.values())
    raise fault(("launcher",), what, f"one of {titles}")


def _arms(values: Mapping[str, Any], launcher: Launcher, *, aa: bool, fault: Fault) -> dict[Arm, Mapping[str, Any]]:
    first = _arm(values, "a", fault)
    if aa:
        if "b" in values:
            raise fault(("b",), "the same arm is measured twice, and a second one is given", "leave b out with aa")
        return {Arm.A: first, Arm.B: first}
    if "b" not in values and launcher.id != _BY_LETTER:
        raise fault(("b",), "arm B is not said", "say what differs from a; or measure the noise with aa")
    second = _arm(values, "b", fault)
    if first == second and launcher.id != _BY_LETTER:
        raise fault(("b",), "both arms are the same", "say what differs; or measure the noise on purpose with aa")
    return {Arm.A: first, Arm.B: second}


def _arm(values: Mapping[str, Any], key: str, fault: Fault) -> Mapping[str, Any]:
    arm = values.get(key, {})
    if isinstance(arm, str):
        arm = {"command": arm}
    if not isinstance(arm, Mapping):
        raise fault((key,), f"an arm is settings by name, not {arm!r}", "for instance a: {command: ...}")
    return arm


def _where(values: Mapping[str, Any], fault: Fault) -> tuple[Mapping[str, Any], ...]:
    found = values.get("where", ())
    if isinstance(found, Mapping):
        found = (found,)
    if not isinstance(found, list | tuple) or not all(isinstance(part, Mapping) for part in found):
        hint = "for instance where: [{node: spark1, file: compose.yaml, service: vllm}]"
        raise fault(("where",), "the parts of the service are wanted here, each on its node", hint)
    return tuple(found)


def _check_arms(planner: ArmPlanner, launcher: Launcher, fault: Fault) -> None:
    try:
        planner.check()
    except ValueError as error:
        message = str(error)
        key = next((one.value.lower() for one in Arm if message.startswith(f"arm {one.value}")), "")
        first = message.partition(" ")[0].rstrip(":")
        place = (key,) if key else (first,) if first in {"live", "where"} else ()
        if message.startswith("nothing"):
            place = ("live",)
        raise fault(place, message, f"launcher {launcher.id}: {launcher.title}") from None


def _primary(values: Mapping[str, Any], workload: Workload, fault: Fault) -> Primary:
    primary = primary_of(values.get("primary", _PRIMARY), fault)
    labels = [cell.label for cell in workload.cells]
    for cell in primary.weights:
        if cell not in labels:
            raise fault(("primary", "weights", cell), f"no cell is called {cell!r}", nearest(cell, labels))
    if not any(primary.weights.get(label, 1.0) for label in labels):
        raise fault(("primary", "weights"), "every cell has weight 0", "at least one cell has to decide")
    return primary


def _margin(values: Mapping[str, Any], key: str, primary: Primary, fault: Fault) -> Ratio:
    unit = metric_named(primary.metric, ("primary",), fault).unit
    return share_at(values, key, _MARGINS.get(unit, _RATE_MARGINS)[key], fault)


def _guards(values: Mapping[str, Any], primary: Primary, fault: Fault) -> tuple[GuardMetric, ...]:
    guards = guards_of(values.get("guards"), primary, fault)
    if any(guard.metric == primary.metric for guard in guards):
        raise fault(("guards",), f"{primary.metric} is the primary already", "a guard is another metric")
    return guards


def _url(values: Mapping[str, Any], fault: Fault) -> str:
    text = text_at(values, "url", fault)
    if not text:
        raise fault(("url",), "no server is named", "for instance url: http://127.0.0.1:8000/v1")
    try:
        return parse_address(text).base_url
    except UsageError as error:
        raise fault(("url",), str(error), error.hint) from None


def _blocks(values: Mapping[str, Any], fault: Fault) -> int:
    value = values.get("max_blocks", BLOCK_COUNTS[-1])
    if isinstance(value, bool) or value not in BLOCK_COUNTS:
        counts = ", ".join(map(str, BLOCK_COUNTS))
        hint = f"one of {counts}: verdicts are given after 3, 5 and 8 blocks, and with fewer there is none"
        raise fault(("max_blocks",), f"{value!r} blocks are not possible", hint)
    return int(value)

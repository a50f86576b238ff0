"""A sweep as people write it: an experiment file in which ``knobs:`` stand where an experiment has its arm B.

::

    url: http://127.0.0.1:8000/v1
    launcher: compose
    where: [{node: spark1, file: /srv/vllm/compose.yaml, service: vllm}]
    knobs: {max_num_seqs: 4..16/4, max_num_batched_tokens: [2048, 4096, 8192]}
    constraints: [ttft_s<=1.5, mem_available_bytes>=3GiB]
    budget: 3h
    workload: {prompt_tokens: 2048, output_tokens: 256, concurrency: [1, 4]}
"""

__all__ = ["SWEEP_KEYS", "SweepRequest", "sweep_request"]

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final

from sparktune.deploy.sweep_params import SweepSpace, space_of_params
from sparktune.deploy.sweep_space import ranges_of
from sparktune.deploy.sweep_values import divided
from sparktune.experiment.objective import MEMORY, TOOLS
from sparktune.experiment.request import BLOCK_COUNTS
from sparktune.io.experiment_parts import metric_named
from sparktune.io.experiment_values import Fault, boolean_at, list_at, text_at
from sparktune.io.named_file import open_named
from sparktune.model.sweep import Constraint, KnobRange
from sparktune.units import Seconds

SWEEP_KEYS: Final = (
    "baseline",
    "knobs",
    "params",
    "constraints",
    "budget",
    "race_blocks",
    "pairs",
    "confirm_blocks",
    "engine",
)
"""What a sweep's file has besides the keys of an experiment; ``a``, ``b``, ``knob``, ``aa`` and the like it has not."""

_NOT_HERE: Final = {
    "a": "the configuration that runs now is called baseline here",
    "b": "what is tried is said by knobs here",
    "knob": "several are said by knobs here",
    "aa": "how large the noise is, sparktune ab --aa tells",
    "equivalence_test": "two ways to run the same are compared with sparktune ab",
    "max_blocks": "the blocks of the confirmation are called confirm_blocks here",
}
_TIME: Final = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>s|m|min|h|)")
_SECONDS: Final = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_CONSTRAINT: Final = re.compile(
    r"(?P<metric>[a-z][a-z0-9_]*)\s*(?P<sign><=|>=)\s*(?P<limit>\d+(?:\.\d+)?)(?P<unit>[A-Za-z]*)"
)
_SIZES: Final = {"": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30}
_OURS: Final = (MEMORY, TOOLS)
_MOST_CHARS: Final = 4 * 1024 * 1024
_RACE_BLOCKS: Final = 3
_MOST_RACE: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRequest:
    """What a sweep's own keys say. ``params`` is the text of vLLM's file of parameters, its name beside it.

    ``ranges`` have no baseline yet; there are some unless there are ``params``.
    """

    ranges: tuple[KnobRange, ...]
    baseline: Mapping[str, Any]
    constraints: tuple[Constraint, ...] = ()
    budget_s: Seconds | None = None
    race_blocks: int = _RACE_BLOCKS
    pairs: bool = True
    confirm_blocks: int = BLOCK_COUNTS[-1]
    engine: str = ""
    params: tuple[str, str] | None = None

    def space(self, baselines: Mapping[str, str]) -> SweepSpace | None:
        """Return the configurations of the file of parameters, None without one. Raises UsageError."""
        return space_of_params(*self.params, baselines) if self.params is not None else None


def sweep_request(values: Mapping[str, Any], fault: Fault) -> tuple[SweepRequest, dict[str, Any]]:
    """Return what the sweep's own keys say, and the rest, which an experiment has, too. Raises UsageError."""
    for key, why in _NOT_HERE.items():
        if key in values:
            raise fault((key,), f"{key!r} is of an experiment with two arms", why)
    knobs = _knobs(values.get("knobs"), fault)
    params = _params(values.get("params"), fault)
    if bool(knobs) == bool(params):
        what = "both knobs and params are said" if knobs else "no knob is named"
        hint = "for instance --knob max_num_seqs=4,8,16, or a file of vLLM's sweep parameters with --params"
        raise fault(("knobs",), what, hint)
    constraints = list_at(values, "constraints", "[ttft_s<=1.5]", fault)
    found = SweepRequest(
        ranges=ranges_of(knobs),
        baseline=_baseline(values.get("baseline"), fault),
        constraints=tuple(_constraint(one, at, fault) for at, one in enumerate(constraints)),
        budget_s=_budget(values.get("budget"), fault),
        race_blocks=_count(values, "race_blocks", _RACE_BLOCKS, fault),
        pairs=boolean_at(values, "pairs", fault, usual=True),
        confirm_blocks=_confirm_blocks(values, fault),
        engine=text_at(values, "engine", fault),
        params=params,
    )
    return found, {key: value for key, value in values.items() if key not in SWEEP_KEYS}


def _knobs(value: object, fault: Fault) -> list[str]:
    if value is None:
        return []
    if isinstance(value, list | tuple):
        return [str(one) for one in value]
    if not isinstance(value, Mapping):
        raise fault(("knobs",), "knobs with their values are wanted here", "for instance knobs: {max_num_seqs: [4, 8]}")
    return [f"{name}={_values(str(name), said, fault)}" for name, said in value.items()]


def _values(name: str, said: object, fault: Fault) -> str:
    """Return the values as they are written after ``--knob NAME=``: each one of a list stays whole."""
    if not isinstance(said, list | tuple):
        return _value(said)
    texts = [_value(one) for one in said]
    if any(len(divided(text, ";")) > 1 for text in texts):
        raise fault(("knobs", name), "a value with a semicolon cannot be tried", "start it by a script that sets it")
    return "".join(f"{text};" for text in texts) if any("," in text for text in texts) else ",".join(texts)


def _value(said: object) -> str:
    if isinstance(said, Mapping | list | tuple):
        return json.dumps(said, separators=(",", ":"), default=str)
    return ("on" if said else "off") if isinstance(said, bool) else "" if said is None else str(said)


def _params(value: object, fault: Fault) -> tuple[str, str] | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise fault(("params",), "the path of a file is wanted here", "a JSON list of configurations")
    try:
        with TextIOWrapper(open_named(Path(value).expanduser()), encoding="utf-8-sig") as stream:
            text = stream.read(_MOST_CHARS + 1)  # a device has no end
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise fault(("params",), f"{value} cannot be read: {why}", "a JSON list of configurations") from None
    if len(text) > _MOST_CHARS:
        raise fault(("params",), f"{value} has more than {_MOST_CHARS:,} characters", "a JSON list of configurations")
    return text, value


def _baseline(value: object, fault: Fault) -> Mapping[str, Any]:
    if value is None:
        return {}
    if isinstance(value, str):
        return {"command": value}
    if not isinstance(value, Mapping):
        raise fault(
            ("baseline",), "a command, or settings by name, are wanted here", "for instance baseline: {command: ...}"
        )
    return value


def _constraint(value: object, at: int, fault: Fault) -> Constraint:
    match = _CONSTRAINT.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        hint = "METRIC<=X or METRIC>=X, for instance ttft_s<=1.5 or mem_available_bytes>=3GiB"
        raise fault(("constraints", at), f"{value!r} is no constraint", hint)
    name, unit = match["metric"], match["unit"]
    if name not in _OURS:
        metric_named(name, ("constraints", at), fault)
    if unit not in (_SIZES if name == MEMORY else ("",)):
        raise fault(
            ("constraints", at), f"{unit!r} is no unit here", "metrics are in seconds, tokens per second, shares, bytes"
        )
    if name == MEMORY and not unit and 0 < float(match["limit"]) < _SIZES["MiB"]:
        hint = f"write the unit: {name}{match['sign']}{match['limit']}GiB"
        raise fault(("constraints", at), f"{value!r} is a limit of {match['limit']} bytes", hint)
    return Constraint(
        metric=name,
        at="most" if match["sign"] == "<=" else "least",
        limit=float(match["limit"]) * _SIZES.get(unit, 1.0),
    )


def _budget(value: object, fault: Fault) -> Seconds | None:
    if value is None or value == "":
        return None
    match = _TIME.fullmatch(str(value).strip())
    seconds = float(match["number"]) * _SECONDS[match["unit"]] if match else 0.0
    if not seconds or isinstance(value, bool):
        raise fault(("budget",), f"a time above 0 is wanted, not {value!r}", "write it as 3h, 90m or 5400s")
    return seconds


def _count(values: Mapping[str, Any], key: str, usual: int, fault: Fault) -> int:
    value = values.get(key, usual)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST_RACE:
        raise fault((key,), f"a whole number up to {_MOST_RACE} is wanted, not {value!r}", f"the usual is {usual}")
    return value


def _confirm_blocks(values: Mapping[str, Any], fault: Fault) -> int:
    value = values.get("confirm_blocks", BLOCK_COUNTS[-1])
    verdicts = [count for count in BLOCK_COUNTS if count > 2]  # noqa: PLR2004 - fewer give no verdict
    if isinstance(value, bool) or value not in verdicts:
        hint = f"one of {', '.join(map(str, verdicts))}: a winner is confirmed by a verdict, and fewer blocks give none"
        raise fault(("confirm_blocks",), f"{value!r} blocks confirm nothing", hint)
    return int(value)

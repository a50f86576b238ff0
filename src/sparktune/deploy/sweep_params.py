"""vLLM's file of parameters to sweep (``vllm bench sweep serve --serve-params``) -> the same space as ``--knob``.

Source: vLLM, docs/benchmarking/sweeps.md and benchmarks/sweep/param_sweep.py: a list of objects, or an object of them
by name; each is one configuration. Its keys are options with underscores or dashes, dotted into maps; true is the
flag, false its ``--no-`` form. ``_benchmark_name`` is a name and no parameter.
"""

__all__ = ["SweepSpace", "space_of_params"]

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sparktune.deploy.knob_names import knob_named, nearest
from sparktune.deploy.knobs import all_knobs
from sparktune.deploy.settings.grammars import grammar_of
from sparktune.deploy.settings.spelling import named
from sparktune.deploy.sweep_space import candidate_of, in_order, must_be_legal
from sparktune.deploy.sweep_values import same_value
from sparktune.errors import UsageError
from sparktune.model.sweep import Candidate, KnobRange

_NAME: Final = "_benchmark_name"
_ENGINE: Final = "vllm"
_MOST: Final = 100
_EXAMPLE: Final = 'for instance [{"max_num_seqs": 32, "max_num_batched_tokens": 1024}, {"max_num_seqs": 64}]'


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepSpace:
    """``candidates`` as the file has them, each of which may move several knobs; ``ranges`` all values of each knob."""

    ranges: tuple[KnobRange, ...]
    candidates: tuple[Candidate, ...]


def space_of_params(text: str, place: str, baselines: Mapping[str, str] | None = None) -> SweepSpace:
    """Return the configurations of a file; ``place`` is its name, ``baselines`` what runs now, by knob.

    A value that runs already moves nothing, and a configuration of such values alone is the baseline. Raises
    UsageError for what is no such file, names an option that vLLM does not have, or is not legal.
    """
    records = _records(text, place)
    places = [f"{place}: configuration {at}" for at in range(1, len(records) + 1)]
    named_values = [_once(_values(record, where), where) for record, where in zip(records, places, strict=True)]
    ranges = _ranges(named_values, baselines or {})
    before = {one.knob: one.baseline for one in ranges}
    found: dict[str, Candidate] = {}
    for values in named_values:
        moved = {
            knob: value for knob, value in values.items() if not before[knob] or not same_value(value, before[knob])
        }
        if moved:
            one = candidate_of(moved)
            found.setdefault(one.key, one)
    return SweepSpace(ranges=ranges, candidates=in_order(tuple(found.values()), ranges))


def _records(text: str, place: str) -> Sequence[Mapping[str, Any]]:
    try:
        data = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        message = f"{place}: this is no JSON ({error})"
        raise UsageError(message, hint=_EXAMPLE) from None
    records = list(data.values()) if isinstance(data, dict) else data
    if isinstance(records, list) and len(records) > _MOST:
        message = f"{place}: {len(records)} configurations are more than {_MOST}"
        raise UsageError(message, hint="each is a start of the engine; leave out what is not worth one")
    if not isinstance(records, list) or not records or not all(isinstance(one, dict) for one in records):
        message = f"{place}: a list of configurations is wanted"
        raise UsageError(message, hint=_EXAMPLE)
    return records


def _values(record: Mapping[str, Any], where: str) -> Iterator[tuple[str, str]]:
    for key, said in record.items():
        if key == _NAME:
            continue
        value = _text(said, f"{where}: {key}")
        if not (key + value).isprintable():
            message = f"{where}: {key!r} is not one line of printable characters"
            raise UsageError(message, hint=_EXAMPLE)
        knob = knob_named(all_knobs(), key)
        if knob is None:
            _must_be_known(key, where)
            yield f"flag:{_flag(key)}", value
        else:
            must_be_legal(knob, value, f"{where}: {key}")
            yield knob.id, value


def _once(entries: Iterator[tuple[str, str]], where: str) -> dict[str, str]:
    """Return the values by knob; one that is there in two spellings would be set as one of them, and nobody knew."""
    found: dict[str, str] = {}
    for knob, value in entries:
        if knob in found:
            message = f"{where}: {knob} is there twice"
            raise UsageError(message, hint="leave one of its spellings out")
        found[knob] = value
    return found


def _no_number(name: str) -> Any:  # noqa: ANN401 - what json calls a hook of it
    message = f"{name} is no number of JSON"
    raise ValueError(message)


def _text(said: Any, where: str) -> str:  # noqa: ANN401 - what JSON has
    if isinstance(said, bool):
        return "on" if said else "off"
    if isinstance(said, str | int | float):
        return str(said)
    if isinstance(said, list) and said and all(isinstance(one, int) and not isinstance(one, bool) for one in said):
        return ",".join(map(str, said))
    if isinstance(said, dict):
        return json.dumps(said, separators=(",", ":"))
    message = f"{where}: {said!r} is no value of an option"
    raise UsageError(message, hint="a text, a number, true or false, or an object")


def _flag(key: str) -> str:
    """Return the option that a key names: dashes in its own name, what follows a dot as it is."""
    head, dot, rest = key.lstrip("-").partition(".")
    return f"--{head.replace('_', '-')}{dot}{rest}"


def _must_be_known(key: str, where: str) -> None:
    grammar = grammar_of(_ENGINE)
    if grammar is None or named(_flag(key), grammar).option is not None:
        return
    names = [option.name for option in grammar.options]
    near = nearest(all_knobs(), key) or tuple(difflib.get_close_matches(key.replace("-", "_"), names, n=3))
    message = f"{where}: {grammar.version} has no option {key!r}"
    raise UsageError(message, hint=f"did you mean {', '.join(near)}?" if near else "vllm serve --help=all lists them")


def _ranges(configurations: Sequence[Mapping[str, str]], baselines: Mapping[str, str]) -> tuple[KnobRange, ...]:
    values: dict[str, list[str]] = {}
    for one in configurations:
        for knob, value in one.items():
            known = values.setdefault(knob, [])
            if not any(same_value(value, other) for other in known):
                known.append(value)
    return tuple(
        KnobRange(
            knob=knob,
            values=tuple(found),
            baseline=baselines.get(knob, ""),
            raises_memory=any(one.id == knob and one.raises_memory for one in all_knobs()),
        )
        for knob, found in values.items()
    )

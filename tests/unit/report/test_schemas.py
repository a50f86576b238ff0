"""What ``--json`` promises is written down as schemas; scripts of others break where an output parts from them.

Tests beside this one, of each writer, go through ``promised``, too.
"""

import json
from typing import Any

import pytest
from tests.support import reported, swept
from tests.support.results import sample_result
from tests.support.schemas import promised, schema_names, validator

from sparktune.experiment.sweep_result import SweepResult
from sparktune.report.ab.json import result_json
from sparktune.report.bench.json import write_json
from sparktune.report.experiment.material import Material
from sparktune.report.sweep.json import result_json as sweep_json

# Words of the field, ratios and counts: what has no unit, or has it in a member of its own.
_BARE = frozenset(
    {
        "median",
        "min",
        "max",
        "p90",
        "p99",
        "per_trial",
        "ratio",
        "low",
        "high",
        "confidence",
        "deviation",
        "margin",
        "mean",
    }
    | {"log_ratio", "value", "a", "b", "cores", "share", "load", "accepted_length"}
)
_SUFFIXES = ("_s", "_c", "_hz", "_bytes", "_ratio", "_share", "_per_s")


@pytest.mark.parametrize("name", schema_names())
def test_each_is_a_schema_of_the_version_and_takes_more_than_it_knows(name: str) -> None:
    schema = validator(name).schema

    assert schema["properties"]["schema"] == {"const": 1}  # type: ignore[index]
    assert "additionalProperties" not in schema  # type: ignore[operator]


@pytest.mark.parametrize("name", schema_names())
def test_each_number_has_its_unit_in_its_name(name: str) -> None:
    """A number without a unit is read as whatever its reader is used to."""
    bare = {key for key in _numbers(validator(name).schema, "") if key not in _BARE and not key.endswith(_SUFFIXES)}

    assert bare == set()


def _numbers(schema: Any, name: str) -> set[str]:  # noqa: ANN401 - a schema
    if not isinstance(schema, dict):
        return set()
    kinds = schema.get("type", ())
    found = {name} if "number" in (kinds if isinstance(kinds, list) else [kinds]) else set()
    for key, one in schema.get("properties", {}).items():
        found |= _numbers(one, key)
    for one in (schema.get("items"), schema.get("additionalProperties"), *schema.get("anyOf", ())):
        found |= _numbers(one, name)
    return found


def test_a_bench() -> None:
    promised("bench", write_json(sample_result()))


@pytest.mark.parametrize(
    "material",
    [reported.decided, reported.fairness, reported.invalid, reported.anecdote, reported.stopped, reported.aa],
    ids=lambda one: one.__name__,
)
def test_an_experiment(material: Any) -> None:  # noqa: ANN401 - makers with defaults of their own
    made: Material = material()
    promised("ab", result_json(made.result))


@pytest.mark.parametrize("made", [swept.won, swept.unconfirmed, swept.none, swept.begun], ids=lambda one: one.__name__)
def test_a_sweep(made: Any) -> None:  # noqa: ANN401 - as above
    result: SweepResult = made()
    promised("sweep", sweep_json(result, swept.OUTCOMES))


@pytest.mark.parametrize(
    ("spoil", "where"),
    [
        (lambda cell: cell["metrics"]["ttft_s"].update(median=None, why=""), "why"),
        (lambda cell: cell["metrics"]["ttft_s"].update(median="0.4"), "median"),
        (lambda cell: cell["checks"][0].update(status="fine"), "status"),
        (lambda cell: cell.pop("concurrency"), "concurrency"),
    ],
    ids=["null without a reason", "a number as text", "an unknown word", "a key that is gone"],
)
def test_what_breaks_a_promise_is_found(spoil: Any, where: str) -> None:  # noqa: ANN401 - what spoils a cell
    record = json.loads(write_json(sample_result()))
    spoil(record["cells"][0])

    with pytest.raises(AssertionError, match=where):
        promised("bench", json.dumps(record))

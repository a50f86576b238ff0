"""What is left out without GPU time: each with its numbers, and never for something that is not known."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.trials import refuse_unknown
from tests.support.yaml_cases import load_yaml

from sparktune.deploy.settings.view import view_of
from sparktune.deploy.sweep_limits import Ground
from sparktune.deploy.sweep_prune import kept, pruned_of
from sparktune.deploy.sweep_space import candidate_of
from sparktune.formats.kinds import read_text
from sparktune.model.lint import LintView
from sparktune.model.sweep import Candidate, KnobRange

_CASES = load_yaml(Path(__file__).parent / "sweep" / "prune.yaml")
_GIB = 2**30


def _ground(engine: str, given: dict[str, Any]) -> Ground:
    refuse_unknown(given, frozenset({"values", "facts", "concurrency", "request_tokens", "memory_gib", "floor_gib"}))
    sizes = {name: given.get(f"{name}_gib") for name in ("memory", "floor")}
    return Ground(
        engine=engine,
        values=given.get("values", {}),
        facts=given.get("facts", {}),
        concurrency=given.get("concurrency"),
        request_tokens=given.get("request_tokens"),
        memory=None if sizes["memory"] is None else round(sizes["memory"] * _GIB),
        floor=None if sizes["floor"] is None else round(sizes["floor"] * _GIB),
    )


def _view(files: dict[str, str] | None) -> LintView | None:
    return view_of([read_text(name, text) for name, text in files.items()]) if files else None


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case["name"])
def test_prune(case: dict[str, Any]) -> None:
    refuse_unknown(case, frozenset({"name", "engine", "ground", "files", "candidate", "expect"}))
    candidate = candidate_of(case["candidate"])

    found = pruned_of([candidate], _ground(case["engine"], case.get("ground", {})), _view(case.get("files")))

    if "expect" not in case:
        assert found == ()
        return
    (one,) = found
    assert one.key == candidate.key
    assert one.rule == case["expect"]["rule"], one.why
    for part in case["expect"]["why"]:
        assert str(part) in one.why


def test_what_is_left_goes_upwards_without_what_was_left_out() -> None:
    ranges = (KnobRange(knob="max_model_len", values=("8K", "64K", "512K"), baseline="32K", raises_memory=True),)
    candidates = [candidate_of({"max_model_len": value}) for value in ranges[0].values]
    pruned = pruned_of(candidates, Ground(engine="vllm", values={"max_model_len": 32768}, request_tokens=9000))

    assert [one.key for one in pruned] == ["max_model_len=8K"]
    assert kept(candidates, pruned, ranges) == (
        Candidate(key="max_model_len=64K", values={"max_model_len": "64K"}),
        Candidate(key="max_model_len=512K", values={"max_model_len": "512K"}, after="max_model_len=64K"),
    )

"""An experiment's load can be a trace: planned by what it holds, and refused once that has changed."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from sparktune.cli._ab.world import _corpus, _with_workload
from sparktune.errors import UsageError
from sparktune.io.experiment_parts import prompts_file, workload_of


def _fault(where: tuple[object, ...], message: str, hint: str) -> UsageError:
    return UsageError(f"{where}: {message}", hint=hint)


def test_a_trace_in_an_experiment(tmp_path: Path) -> None:
    trace = tmp_path / "t.jsonl"
    trace.write_text('{"timestamp": 0, "input_length": 90}\n{"timestamp": 9, "input_length": 80}\n')
    values = _with_workload({"workload": {"from": str(trace), "limit": 1, "time_scale": 0.5}})["workload"]
    workload = workload_of(values, 1, _fault)
    (cell,) = workload.cells
    experiment = SimpleNamespace(id="x", prompts=prompts_file(values), workload=workload)
    corpus = _corpus(experiment, SimpleNamespace(corpus=None))  # type: ignore[arg-type]

    assert cell.replay is not None
    assert (cell.replay.count, cell.replay.time_scale) == (1, 0.5)
    assert corpus.traffic is not None
    assert [request.prompt_tokens for request in corpus.traffic.requests] == [90]

    trace.write_text('{"timestamp": 0, "input_length": 91}\n')
    with pytest.raises(UsageError, match="has changed since experiment x was planned"):
        _corpus(experiment, SimpleNamespace(corpus=None))  # type: ignore[arg-type]
    assert replace(cell, replay=replace(cell.replay, digest="other")) != cell

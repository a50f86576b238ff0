"""What people write of a workload, as cells; and what excludes each other."""

from pathlib import Path
from typing import Any

import pytest

from sparktune.errors import UsageError
from sparktune.io.config import load_config
from sparktune.io.workload_cells import HouseholdConfig, WorkloadShape, shape_cells
from sparktune.model.arrival import Arrivals
from sparktune.model.mix import Household


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.jsonl"
    path.write_text('{"prompt": "a"}\n{"prompt": "b"}\n')
    return path


def test_arrivals_belong_to_every_cell_of_the_lists() -> None:
    cells, corpus = shape_cells(WorkloadShape(prompt_tokens=(10, 20), concurrency=(2, 4), stagger="500ms"))

    assert corpus is None
    assert len(cells) == 4
    assert {cell.arrivals for cell in cells} == {Arrivals(stagger_s=0.5)}


@pytest.mark.parametrize(
    ("scale", "household"),
    [
        (
            1.0,
            Household(
                opening_tokens=1024,
                turns=4,
                turn_tokens=256,
                reply_tokens=128,
                long_tokens=8192,
                long_reply_tokens=64,
            ),
        ),
        (
            0.001,
            Household(
                opening_tokens=64, turns=4, turn_tokens=64, reply_tokens=16, long_tokens=128, long_reply_tokens=8
            ),
        ),
    ],
)
def test_a_household_scales_down_to_what_a_template_leaves_room_for(scale: float, household: Household) -> None:
    cells, _ = shape_cells(WorkloadShape(household=HouseholdConfig(scale=scale)))

    assert [cell.household for cell in cells] == [household]


def test_own_prompts_make_a_cell_per_concurrency(own: Path) -> None:
    cells, corpus = shape_cells(WorkloadShape(prompts=own, nonce=True, output_tokens=(9,), concurrency=(1, 2)))

    assert corpus is not None
    assert [(cell.concurrency, cell.output_tokens, cell.streams) for cell in cells] == [(1, 9, 2), (2, 9, 2)]
    assert all(cell.prompts and cell.prompts.nonce for cell in cells)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"prompt_tokens": (5,), "stagger": "soon"}, "the stagger takes a time, not 'soon'"),
        ({"prompt_tokens": (5,), "stagger": "1s", "arrival_rate": 1.0}, "not both"),
        ({"prompt_tokens": (5,), "nonce": True}, "a nonce of its own is for own prompts"),
        ({"household": HouseholdConfig(), "lists": frozenset({"depth"})}, "household has its own shape, depth"),
        ({"household": HouseholdConfig(), "stagger": "1s"}, "household has its own shape, stagger"),
        ({"household": HouseholdConfig(), "prompts": Path("own.jsonl")}, "household has its own shape, prompts"),
        ({"household": HouseholdConfig(scale=5000.0)}, "the scale of a household"),
        ({"prompts": Path("own.jsonl"), "lists": frozenset({"prompt_tokens"})}, "prompts has its own shape"),
        ({"prompts": Path("own.jsonl"), "output_tokens": (1, 2)}, "one number of output tokens, not for 2"),
        ({"prompts": Path("own.jsonl"), "concurrency": (1, 3)}, "holds 2 prompts, too few for 3 streams"),
    ],
    ids=str,
)
def test_what_makes_no_cells_is_told(own: Path, given: dict[str, Any], words: str) -> None:
    if "prompts" in given:
        given = {**given, "prompts": own}
    with pytest.raises(UsageError, match=words) as caught:
        shape_cells(WorkloadShape(**given))

    assert caught.value.hint


def _config(folder: Path, workload: str) -> Path:
    path = folder / "sparktune.yaml"
    path.write_text(f"workloads:\n  mine: {{{workload}}}\n")
    return path


@pytest.mark.parametrize(
    ("workload", "labels"),
    [
        ("prompt_tokens: 8, output_tokens: 4, concurrency: 2, stagger: 2s", ["pp8 tg4 c2 stagger 2s"]),
        ("prompt_tokens: 8, output_tokens: 4, concurrency: 2, arrival_rate: 0.5", ["pp8 tg4 c2 poisson 0.5/s"]),
        ("household: {scale: 0.001, turns: 2, long_tokens: 300}", ["household 64+2x64 tg16 / pp300 tg8"]),
        ("prompts: own.jsonl, output_tokens: 4", ["own.jsonl:"]),
    ],
)
def test_the_same_in_sparktune_yaml(own: Path, workload: str, labels: list[str]) -> None:
    """A relative file of prompts counts from the file that names it."""
    cells, corpus = load_config(_config(own.parent, workload)).cells("mine")

    assert [cell.label[: len(label)] for cell, label in zip(cells, labels, strict=True)] == labels
    assert (corpus is not None) is ("prompts" in workload)


@pytest.mark.parametrize(
    ("workload", "words"),
    [
        ("concurrency: 2", "missing required field prompt_tokens"),
        ("prompts: own.jsonl, depth: 5, output_tokens: 4", "prompts has its own shape, depth"),
        ("household: {scale: 0}", "Expected float > 0.0"),
        ("household: {speed: 1}", "unknown field speed"),
        ("prompts: gone.jsonl", "gone.jsonl cannot be read"),
    ],
)
def test_what_is_wrong_in_sparktune_yaml_is_told_with_the_file(own: Path, workload: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        load_config(_config(own.parent, workload)).cells("mine")

    assert "sparktune.yaml" in str(caught.value)

"""From what was asked to a plan, and which settings two arms differ in."""

import random
from dataclasses import replace

import pytest
from tests.support.experiments import CELLS, experiment, visit, workload

from sparktune.experiment.arm_settings import arm_settings, called, declared_names, differing, flags_of
from sparktune.experiment.design import Arm
from sparktune.experiment.noise import noise_of
from sparktune.experiment.outliers import log_deviation
from sparktune.experiment.plan import Primary
from sparktune.experiment.request import BLOCK_COUNTS, Request, declared


def _request(blocks: int) -> Request:
    return Request(
        name="n",
        base_url="http://x/v1",
        launcher="command",
        knob="k",
        arms={Arm.A: {}, Arm.B: {}},
        workload=workload(CELLS),
        primary=Primary(),
        margin=0.03,
        equivalence=0.05,
        blocks=blocks,
    )


@pytest.mark.parametrize(("blocks", "looks"), [(8, [3, 5, 8]), (5, [3, 5]), (3, [3]), (2, [3, 5, 8]), (1, [3, 5, 8])])
def test_looks_are_those_that_lie_in_the_plan(blocks: int, looks: list[int]) -> None:
    """Fewer blocks never make a look less strict; with one or two there is no look at all."""
    plan = declared(_request(blocks), experiment_id="e", created_wall_s=1.0, seed=4, draw=random.Random(4).random)
    assert [look.blocks for look in plan.rules.looks] == looks
    assert plan.rules.looks[0].alpha == 0.01
    assert len(plan.blocks) == blocks
    assert blocks in BLOCK_COUNTS


def test_a_seed_is_a_plan() -> None:
    plans = [
        declared(_request(8), experiment_id="e", created_wall_s=1.0, seed=4, draw=random.Random(4).random)
        for _ in range(2)
    ]
    assert plans[0] == plans[1]


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        (["serve", "--x", "1"], {"word 0": "serve", "--x": "1"}),
        (["serve", "--x=1", "-v"], {"word 0": "serve", "--x": "1", "-v": "on"}),
        (["serve", "--temp", "-1.5", "model"], {"word 0": "serve", "--temp": "-1.5", "word 1": "model"}),
        (["--lora", "a", "--lora", "b"], {"--lora": "a b"}),
        (["-a", "--b"], {"-a": "on", "--b": "on"}),
        ([], {}),
    ],
)
def test_flags_are_settings(words: list[str], settings: dict[str, str]) -> None:
    assert flags_of(words) == settings


def test_what_differs_is_found_by_name_whatever_the_order() -> None:
    first = arm_settings({"command": "serve --x 1 --y 2", "env": {"M": 1}})
    second = arm_settings({"command": ["serve", "--y", "2", "--x", 3], "env": {"M": 2}})
    assert differing(first, second) == ("--x", "M=")
    assert [called(name) for name in ("--x", "M=", "cpuset:", "word 0")] == ["--x", "M", "cpuset", "word 0"]
    assert declared_names(" --x,M= ,N") == {"--x", "M", "N"}, "as it was written before it lost its mark, too"
    assert arm_settings({"command": "serve 'open"}) == {"word 0": "serve", "word 1": "'open"}


def test_noise_is_split_over_trials_and_visits() -> None:
    plan = replace(experiment(cells=CELLS[:1]), aa=True)
    visits = [
        visit(block, arm, {CELLS[0]: {"output_tok_s": [level, level * 1.01], "e2e_s": [2.0, 2.0]}}, place=place)
        for block, levels in ((1, (100.0, 110.0)), (2, (105.0, 95.0)))
        for place, (arm, level) in enumerate(zip(Arm, levels, strict=True))
    ]
    noise = noise_of(plan, visits)
    assert noise is not None
    assert noise.trial < 0.01 < noise.visit
    assert noise.visits == 4
    assert noise.trial_cost_s == 2.0
    assert noise.visit_cost_s == 194.0  # 200 s, less three trials of 2 s
    assert noise.best_trials == 2


def test_noise_of_single_trials_cannot_be_split() -> None:
    visits = [visit(1, arm, {CELLS[0]: {"output_tok_s": [1.0]}}, place=place) for place, arm in enumerate(Arm)]
    assert noise_of(experiment(cells=CELLS[:1]), visits) is None


def test_what_is_usual_apart_from_the_median_leaves_the_median_itself_out() -> None:
    assert log_deviation([]) == 0
    assert log_deviation([[1.0, 1.0, 1.0]]) == 0
    assert log_deviation([[1.0, 2.0, 4.0]]) == pytest.approx(0.693, abs=1e-3)

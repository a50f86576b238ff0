"""Which wave stands for the others, what checks of single cells say, and results that lack something."""

from dataclasses import replace

import pytest
from tests.support import reported

from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better
from sparktune.experiment.result import GuardResult, GuardStatus, MeasuredVisit
from sparktune.model.cell import Cell
from sparktune.model.check import CheckResult, Status
from sparktune.report.experiment.html import experiment_page
from sparktune.report.experiment.markdown import experiment_markdown
from sparktune.report.experiment.material import Material, choose_wave, value_of_block
from sparktune.report.experiment.views import cell_heats, forest_rows, pairs
from sparktune.report.experiment.words import model_words, stamp


def _with_flags(material: Material) -> Material:
    """Give the second cell of every visit of arm B a failed request, a check that voids it and what bounds it."""
    found = []
    for visit in material.result.visits:
        if visit.result is None or visit.record.arm is Arm.A:
            found.append(visit)
            continue
        first, second, *rest = visit.result.cells
        checks = (
            CheckResult(id="V01", status=Status.INVALID, evidence="91 % from a cache"),
            CheckResult(id="V11", status=Status.WARN, evidence="queue"),
        )
        second = replace(second, checks=checks, failures={"stall": 2}, label="queue-bound")
        found.append(MeasuredVisit(record=visit.record, result=replace(visit.result, cells=(first, second, *rest))))
    return replace(material, result=replace(material.result, visits=tuple(found)))


def test_the_middle_block_is_shown_and_not_the_best() -> None:
    material = reported.decided()

    chosen = choose_wave(material.result)

    assert chosen is not None
    ordered = sorted(block.ratio for block in material.result.blocks)
    shown = next(block for block in material.result.blocks if block.number == chosen.block)
    assert shown.ratio == ordered[2]
    assert chosen.cell == reported.GRID[-1]
    assert set(chosen.runs) == set(Arm)


def test_without_a_block_there_is_no_wave() -> None:
    assert choose_wave(reported.empty().result) is None


def test_a_wave_needs_a_cell_that_both_arms_measured() -> None:
    material = reported.fairness()
    emptied = [
        replace(visit, result=replace(visit.result, cells=())) if visit.result and visit.record.arm is Arm.B else visit
        for visit in material.result.visits
    ]

    assert choose_wave(replace(material.result, visits=tuple(emptied))) is None


@pytest.mark.parametrize(
    ("values", "weights", "expected"),
    [
        ({"a": 4.0, "b": 9.0}, {}, 6.0),
        ({"a": 4.0, "b": 9.0}, {"b": 0.0}, 4.0),
        ({"a": 4.0, "b": 0.0}, {}, 4.0),
        ({"a": 0.0}, {}, None),
        ({}, {}, None),
    ],
)
def test_the_value_of_a_block(values: dict[str, float], weights: dict[str, float], expected: float | None) -> None:
    assert value_of_block(values, weights) == (None if expected is None else pytest.approx(expected))


def test_checks_of_single_cells_are_in_the_grid_and_in_the_table() -> None:
    """A void cell inside a good experiment is easy to overlook."""
    material = _with_flags(reported.decided())

    (heat,) = cell_heats(material.result)
    page = experiment_page(material)

    marked = [tile for tile in heat.tiles if tile.mark]
    assert [(tile.row, tile.column, tile.mark, tile.invalid) for tile in marked] == [
        ("512", "2", "V01 invalid, V11 warn", True)
    ]
    for words in ("V01 invalid (arm B)", "queue-bound", "2 requests failed in block 1 B"):
        assert words in page


def test_a_guard_that_is_not_shown_or_harmed_is_said() -> None:
    material = reported.decided()
    one, other = material.result.guards
    guards = (
        replace(one, status=GuardStatus.HARMED),
        GuardResult(metric=other.metric, margin=0.05, status=GuardStatus.UNPROVEN, effect=None, why="not counted"),
    )
    result = replace(material.result, guards=guards)

    rows = {row.name: row.words for row in forest_rows(result).rows}
    page = experiment_page(replace(material, result=result))

    assert rows["ttft_s"].startswith("WORSE")
    assert rows["decode_tok_s"] == "not shown: not counted"
    assert "1 not shown, 1 WORSE" in page
    badge = page[page.index('class="badge') :].partition("</p>")[0]
    assert badge.startswith('class="badge warn"')
    assert "IMPROVED, but guard ttft_s is WORSE" in badge
    first = experiment_markdown(result).splitlines()[0].replace("\\", "")
    assert first.startswith("**IMPROVED, but guard ttft_s is WORSE")
    assert stamp(result).startswith("IMPROVED, but guard ttft_s is WORSE"), "a picture is shared without its page"


def test_less_is_better_turns_the_interval_around() -> None:
    """B / A of a time is below 1 when B is better; both ends swap."""
    result = reported.fairness().result
    effect, change = result.judgement.effect, pairs(result).change

    assert effect is not None
    assert change is not None
    assert change.low is not None
    assert change.high is not None
    assert result.experiment.primary.better is Better.LOWER
    assert change.low < change.ratio < change.high < 1
    assert change.ratio == pytest.approx(1 / effect.ratio)


def test_many_cells_are_not_pasted_whole() -> None:
    """Nobody reads 200 rows in a forum; how many are missing is said."""
    cells = tuple(Cell(prompt_tokens=64 * (1 + number), output_tokens=8) for number in range(30))
    plan = reported.experiment(cells=cells, blocks=3)
    result = reported.concluded(plan, reported.measured(plan, blocks=3, gain=0.1, speculative=False))

    assert "and 6 cells more in the report" in experiment_markdown(result)


def test_a_fragile_verdict_is_a_flag() -> None:
    result = reported.decided().result
    fragile = replace(result, judgement=replace(result.judgement, fragile=True))

    assert "- fragile:" in experiment_markdown(fragile)


def test_own_prompts_are_named() -> None:
    """They are sent as they are: the page must not say that they were made fresh."""
    material = reported.anecdote()
    plan = replace(material.result.experiment, prompts="mine.jsonl")

    assert "own prompts: mine.jsonl" in experiment_page(
        replace(material, result=replace(material.result, experiment=plan))
    )


def test_a_model_that_the_plan_does_not_name_is_the_one_that_was_asked() -> None:
    """A pasted table with an empty cell says nothing; where nothing was measured either, it says unknown."""
    result = reported.decided().result
    plan = result.experiment
    unnamed = replace(plan, workload=replace(plan.workload, options=replace(plan.workload.options, model="")))
    asked = next(visit.result.run for visit in result.visits if visit.result is not None).workload.options.model

    assert asked
    assert model_words(replace(result, experiment=unnamed)) == asked
    assert model_words(replace(result, experiment=unnamed, visits=())) == "unknown"

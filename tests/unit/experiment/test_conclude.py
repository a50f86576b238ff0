"""From measured visits to a conclusion: what counts, what is left out and said, and what overrides the numbers."""

import math
import random
from collections.abc import Mapping, Sequence

import pytest
from tests.support.experiments import CELLS, experiment, visit

from sparktune.experiment.conclude import conclude, missing_primary
from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better, p_value
from sparktune.experiment.plan import Experiment, GuardMetric, VisitState
from sparktune.experiment.result import ExperimentResult, GuardStatus, MeasuredVisit
from sparktune.experiment.verdict import Verdict
from sparktune.model.cell import Cell
from sparktune.model.check import CheckResult, Status

ONE, TWO = CELLS


def _conclude(
    plan: Experiment, visits: Sequence[MeasuredVisit], checks: Sequence[CheckResult] = ()
) -> ExperimentResult:
    draw = random.Random(1)
    return conclude(plan, visits, checks, {"ttft_s": Better.LOWER}, lambda: draw.gauss(0, 1))


def _rates(one: float, two: float) -> Mapping[Cell, Mapping[str, Sequence[float | None]]]:
    """Return three trials around a rate in both cells, with the wait that goes with it."""
    return {
        cell: {"output_tok_s": (rate, rate * 1.01, rate * 0.99), "ttft_s": (1 / rate, 1 / rate, 1 / rate)}
        for cell, rate in zip(CELLS, (one, two), strict=True)
    }


def _blocks(count: int, one: float, two: float) -> list[MeasuredVisit]:
    """Return blocks in which the second arm has ``one`` and ``two`` times the rate of the first."""
    visits = []
    for number in range(1, count + 1):
        drift = 1 - number / 100
        place = number % 2
        visits.append(visit(number, Arm.A, _rates(100 * drift, 180 * drift), place=1 - place))
        visits.append(visit(number, Arm.B, _rates(100 * drift * one, 180 * drift * two), place=place))
    return visits


def test_three_blocks_of_a_clear_win_are_an_improvement() -> None:
    result = _conclude(experiment(), _blocks(3, 1.2, 1.2))
    assert result.verdict is Verdict.IMPROVED
    assert result.judgement.effect is not None
    assert result.judgement.effect.ratio == pytest.approx(1.2)
    assert [block.order[0] for block in result.blocks] == [Arm.A, Arm.B, Arm.A]
    assert result.chance is None


def test_the_primary_is_the_geometric_mean_over_cells() -> None:
    result = _conclude(experiment(), _blocks(3, 1.21, 1.0))
    assert result.judgement.effect is not None
    assert result.judgement.effect.ratio == pytest.approx(math.sqrt(1.21))


def test_a_cell_of_weight_0_decides_nothing_and_is_shown() -> None:
    result = _conclude(experiment(weights={TWO.label: 0}), _blocks(3, 1.1, 0.5))
    assert result.judgement.effect is not None
    assert result.judgement.effect.ratio == pytest.approx(1.1)
    assert [cell.cell for cell in result.cells] == [ONE.label, TWO.label]
    assert result.cells[1].effect is not None
    assert result.cells[1].effect.ratio == pytest.approx(0.5)


@pytest.mark.parametrize(("spread", "chance", "holds"), [(0.032, 0.0422, False), (0.028, 0.0252, True)])
def test_a_cell_holds_by_what_its_look_may_err(spread: float, chance: float, *, holds: bool) -> None:
    """Eight blocks are the third look: 3 %, not 5 %, or looking three times would find cells in 6 % of A/A experiments.

    The chances are those of Student's t: one cell, so that Holm asks for no more.
    """
    plan = experiment(weights={TWO.label: 0})
    visits = []
    for number in range(1, 9):
        ratio = math.exp(0.03 + (spread if number % 2 else -spread))
        visits.append(visit(number, Arm.A, {ONE: {"output_tok_s": (100.0, 100.0, 100.0)}}, place=0))
        visits.append(visit(number, Arm.B, {ONE: {"output_tok_s": (100.0 * ratio,) * 3}}, place=1))
    ratios = [0.03 + (spread if number % 2 else -spread) for number in range(1, 9)]
    assert p_value(ratios, floor=0.005) == pytest.approx(chance, abs=0.0001)
    cell = next(found for found in _conclude(plan, visits).cells if found.cell == ONE.label)
    assert cell.holds is holds


def test_two_blocks_are_an_anecdote_however_large() -> None:
    result = _conclude(experiment(), _blocks(2, 3.0, 3.0))
    assert result.verdict is None
    assert result.judgement.anecdote
    assert not any(cell.holds for cell in result.cells)


def test_an_invalid_check_overrides_a_win() -> None:
    """A prefix cache makes the smallest p value of all."""
    found = CheckResult(id="V01", status=Status.INVALID, evidence="98 % of the prompt was cached")
    result = _conclude(experiment(), _blocks(3, 18.0, 18.0), [found])
    assert result.verdict is Verdict.INVALID
    assert "V01" in result.why


def test_a_visit_that_a_guard_stopped_is_the_verdict() -> None:
    stopped = visit(3, Arm.B, _rates(1, 1), state=VisitState.STOPPED, why="MemAvailable 2.1 GiB, limit 3 GiB")
    result = _conclude(experiment(), [*_blocks(2, 1.2, 1.2), stopped])
    assert result.verdict is Verdict.STOPPED
    assert "2.1 GiB" in result.why


def test_half_a_block_counts_for_nothing_and_stays_in_the_record() -> None:
    half = visit(4, Arm.B, _rates(500, 500))
    result = _conclude(experiment(), [*_blocks(3, 1.2, 1.2), half])
    assert [block.number for block in result.blocks] == [1, 2, 3]
    assert len(result.visits) == 7


def test_visits_of_two_attempts_make_no_block() -> None:
    torn = [visit(1, Arm.A, _rates(100, 180), attempt=1), visit(1, Arm.B, _rates(100, 180), attempt=2)]
    assert _conclude(experiment(), torn).blocks == ()


def test_a_metric_without_values_in_one_block_has_no_effect_at_all() -> None:
    """Blocks that are left out for what they show would bend the rest."""
    visits = _blocks(3, 1.2, 1.2)
    silent = visit(3, Arm.B, {cell: {"output_tok_s": (None, None, None)} for cell in CELLS}, place=1)
    result = _conclude(experiment(), [*visits[:5], silent])
    assert result.verdict is Verdict.INVALID
    assert "block 3" in result.why


@pytest.mark.parametrize(
    ("series", "verdict"),
    [
        ((120.0, None, 121.0), Verdict.IMPROVED),  # the median lies between these two, whatever the third was
        ((None, None, 121.0), Verdict.INVALID),
        ((None, 121.0, None), Verdict.INVALID),
    ],
)
def test_a_visit_is_no_more_than_half_of_its_trials_unknown(series: tuple[float | None, ...], verdict: Verdict) -> None:
    """A server that counts tokens in one wave of three: that wave is not the visit."""
    visits = _blocks(3, 1.2, 1.2)
    told = {
        cell: {"output_tok_s": tuple(value and value * scale for value in series)}
        for cell, scale in zip(CELLS, (1.0, 1.8), strict=True)
    }
    assert _conclude(experiment(), [*visits[:5], visit(3, Arm.B, told, place=1)]).verdict is verdict


def test_a_cell_that_one_block_lacks_in_both_arms_is_missing() -> None:
    """The block would compare other cells than the rest, and one cell less may be a gain."""
    lacking = [visit(3, arm, {ONE: _rates(100, 180)[ONE]}, place=place) for place, arm in enumerate(Arm)]
    result = _conclude(experiment(), [*_blocks(2, 1.2, 1.2), *lacking])
    assert result.verdict is Verdict.INVALID
    assert f"block 3, {TWO.label}" in result.why


def test_a_value_that_is_missing_is_told_with_its_reason() -> None:
    """That a server counts no tokens is mended in a minute by who knows it."""
    lacking = {cell: {"output_tok_s": (None, None, None)} for cell in CELLS}
    visits = [*_blocks(1, 1.2, 1.2)[:1], visit(1, Arm.B, lacking, place=1)]
    why = f"output_tok_s has no value above 0 in block 1, {ONE.label} (arm B: the server does not say)"

    assert missing_primary(experiment(), visits) == why
    assert _conclude(experiment(), visits).why == why
    assert missing_primary(experiment(), visits[:1]) == ""
    assert missing_primary(experiment(), _blocks(2, 1.2, 1.2)) == ""


@pytest.mark.parametrize(("gain", "status"), [(1.0, GuardStatus.OK), (0.7, GuardStatus.HARMED), (1.2, GuardStatus.OK)])
def test_a_guard_is_shown_to_hold_or_to_be_harmed(gain: float, status: GuardStatus) -> None:
    guard = GuardMetric(metric="ttft_s", better=Better.LOWER)
    assert _conclude(experiment(guards=[guard]), _blocks(3, gain, gain)).guards[0].status is status


def test_a_guard_that_noise_hides_is_unproven_not_ok() -> None:
    noisy = []
    for number, factor in enumerate((1.5, 0.6, 1.1), start=1):
        noisy += [visit(number, Arm.A, _rates(100, 180)), visit(number, Arm.B, _rates(100 * factor, 180), place=1)]
    guard = GuardMetric(metric="ttft_s", better=Better.LOWER)
    assert _conclude(experiment(guards=[guard]), noisy).guards[0].status is GuardStatus.UNPROVEN


def test_two_blocks_prove_no_guard() -> None:
    guard = GuardMetric(metric="ttft_s", better=Better.LOWER)
    assert _conclude(experiment(guards=[guard]), _blocks(2, 1.0, 1.0)).guards[0].status is GuardStatus.UNPROVEN


def test_outliers_are_counted_and_kept() -> None:
    visits = _blocks(3, 1.0, 1.0)
    odd = visit(1, Arm.A, {cell: {"output_tok_s": (100.0, 50.0, 101.0), "ttft_s": (0.01,) * 3} for cell in CELLS})
    assert _conclude(experiment(), [odd, *visits[1:]]).outliers == 2


def test_a_run_without_a_verdict_says_its_chance_and_what_it_could_find() -> None:
    visits = []
    for number, factor in enumerate((1.05, 1.12, 1.02, 1.08), start=1):
        visits += [visit(number, Arm.A, _rates(100, 180)), visit(number, Arm.B, _rates(100 * factor, 180 * factor))]
    result = _conclude(experiment(), visits)
    assert result.verdict is None
    assert result.chance is not None
    assert 0 <= result.chance <= 1
    assert result.smallest_detectable is not None
    assert result.smallest_detectable > 0.01


def test_nothing_measured_is_nothing_concluded() -> None:
    result = _conclude(experiment(), [])
    assert result.verdict is None
    assert result.judgement.anecdote
    assert result.blocks == ()
    assert [cell.why for cell in result.cells] == ["not measured in two blocks"] * 2


def test_further_metrics_are_reported_beside() -> None:
    observed = _conclude(experiment(), _blocks(3, 1.25, 1.25)).observed[0]
    assert observed.metric == "ttft_s"
    assert observed.effect is not None
    assert observed.effect.ratio == pytest.approx(1.25)
    assert observed.medians[Arm.A] > observed.medians[Arm.B]

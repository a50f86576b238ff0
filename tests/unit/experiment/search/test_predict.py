"""Predictions hold for whatever is counted, and are held against what is measured afterwards."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.deploy.sweep_limits import Ground
from sparktune.experiment.search.outcomes import outcomes
from sparktune.experiment.search.predict import Acceptance, length_at, predictions
from sparktune.model.prediction import Prediction
from sparktune.model.sweep import BASELINE, Candidate, Stage, SweepVisit, VisitEnd

_SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=16).map(lambda shares: tuple(sorted(shares, reverse=True)))


@given(_SHARES)
def test_one_draft_more_never_shortens_a_round(shares: tuple[float, ...]) -> None:
    """So the length alone would always ask for more drafts, as the acceptance rate alone would ask for fewer."""
    acceptance = Acceptance(shares=shares)
    lengths = [length_at(acceptance, depth)[0] for depth in range(1, len(shares) + 4)]
    rates = [(length - 1) / depth for depth, length in enumerate(lengths[: len(shares)], 1)]
    assert lengths == sorted(lengths)
    assert all(after <= before + 1e-12 for before, after in itertools.pairwise(rates))


@given(_SHARES)
def test_a_bound_holds_for_any_drafter_that_goes_on(shares: tuple[float, ...]) -> None:
    """Nothing that is accepted later is accepted more often than what stands before it."""
    seen = shares[: max(1, len(shares) // 2)]
    bound, at_most = length_at(Acceptance(shares=seen), len(shares))
    assert bound >= length_at(Acceptance(shares=shares), len(shares))[0] - 1e-9
    assert at_most == (len(seen) < len(shares))


def test_break_even_is_where_both_are_equally_fast() -> None:
    depth = Candidate(key="num_speculative_tokens=1", values={"num_speculative_tokens": "1"})
    (found,) = predictions((depth,), Ground(engine="vllm"), Acceptance(shares=(0.8, 0.4)))
    assert found.step_ratio is not None
    now_s = 0.040
    assert found.value / (now_s * found.step_ratio) == pytest.approx((1 + 0.8 + 0.4) / now_s)


def _visit(number: int, key: str, end: VisitEnd = VisitEnd.MEASURED, why: str = "", **metrics: float) -> SweepVisit:
    return SweepVisit(number=number, stage=Stage.SCREEN, block=0, key=key, end=end, why=why, metrics=metrics)


def test_what_was_measured_stands_beside_what_was_predicted() -> None:
    shorter = Prediction(key="d=3", metric="acceptance_length", value=2.9, step_ratio=0.8, why="")
    gone, never, other = (Prediction(key=key, metric="acceptance_length", value=2.0, why="") for key in "abc")
    visits = (
        _visit(1, BASELINE, acceptance_length=3.6, decode_tok_s=36.0),
        _visit(2, "d=3", acceptance_length=3.0, decode_tok_s=40.0),
        _visit(3, "a", VisitEnd.INFEASIBLE, "out of memory"),
        _visit(4, "c", decode_tok_s=20.0),
    )
    first, second, third, fourth = outcomes((shorter, gone, never, other), visits)
    assert first.measured == 3.0
    assert first.step_ratio == (3.0 / 40.0) / (3.6 / 36.0)
    assert (second.measured, second.why) == (None, "infeasible: out of memory")
    assert (third.measured, third.why) == (None, "it was not visited")
    assert (fourth.measured, fourth.why) == (None, "its visits have no acceptance_length")

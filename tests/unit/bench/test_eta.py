"""The time left is what a person plans by; it must scale with the work that is left."""

from sparktune.bench.eta import WaveCost, estimate, remaining
from sparktune.model.cell import Cell

SMALL = Cell(prompt_tokens=100, output_tokens=10)
LARGE = Cell(prompt_tokens=200, output_tokens=30, concurrency=2)
DEEP = Cell(prompt_tokens=100, output_tokens=10, depth=1000)
COST = WaveCost(cell=SMALL, prefill_s=1.0, decode_s=2.0)
LOADING = WaveCost(cell=DEEP, prefill_s=9.0, decode_s=0.5, context=True)


def test_nothing_is_guessed_before_a_wave_has_ended() -> None:
    assert estimate(SMALL, ()) is None
    assert remaining({SMALL: 3}, ()) is None


def test_a_cell_is_estimated_by_the_median_of_its_own_waves() -> None:
    slow = WaveCost(cell=SMALL, prefill_s=10.0, decode_s=90.0)

    assert estimate(SMALL, (COST, slow, COST)) == 3.0


def test_an_unseen_cell_scales_prefill_by_all_prompt_tokens_and_decode_by_output() -> None:
    assert estimate(LARGE, (COST,)) == 1.0 * 4 + 2.0 * 3


def test_a_context_that_is_cached_is_not_read_again() -> None:
    """With depth in the prefill of measured waves, the time left was wrong by the depth."""
    assert estimate(DEEP, (COST,)) == 3.0


def test_loading_a_context_is_estimated_by_its_own_waves_and_decodes_nothing() -> None:
    deeper = Cell(prompt_tokens=100, output_tokens=10, depth=2000)

    assert estimate(DEEP, (COST, LOADING), context=True) == 9.5
    assert estimate(deeper, (COST, LOADING), context=True) == 18.0
    assert estimate(DEEP, (COST,), context=True) == 10.0


def test_the_rest_is_the_sum_over_cells_with_their_contexts() -> None:
    assert remaining({SMALL: 2, LARGE: 1}, (COST,)) == 2 * 3.0 + 10.0
    assert remaining({DEEP: 2}, (COST, LOADING)) == 2 * (9.5 + 3.0)


def test_a_context_alone_tells_something_about_the_prompt() -> None:
    assert estimate(SMALL, (LOADING,)) == 9.0 * 100 / 1000

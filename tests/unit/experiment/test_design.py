"""The order of visits: what drifts must hit both arms alike."""

import itertools
import random

from hypothesis import given
from hypothesis import strategies as st

from sparktune.experiment.design import Arm, blocks_of


@given(st.integers(1, 12), st.integers(1, 9), st.integers())
def test_arms_alternate_who_goes_first(count: int, cells: int, seed: int) -> None:
    blocks = blocks_of(count, range(cells), random.Random(seed).random)
    assert [set(block.visits) for block in blocks] == [{Arm.A, Arm.B}] * count
    firsts = [block.visits[0] for block in blocks]
    assert all(one is not other for one, other in itertools.pairwise(firsts))
    assert all(sorted(block.cells) == list(range(cells)) for block in blocks)


def test_the_same_seed_is_the_same_plan_and_starts_differ() -> None:
    plans = {blocks_of(4, range(5), random.Random(seed).random) for seed in range(20)}
    assert blocks_of(4, range(5), random.Random(3).random) == blocks_of(4, range(5), random.Random(3).random)
    assert {plan[0].visits[0] for plan in plans} == {Arm.A, Arm.B}
    assert len({plan[1].cells for plan in plans}) > 1


@given(st.integers(1, 4))
def test_a_linear_drift_cancels_over_pairs_of_blocks(pairs: int) -> None:
    blocks = blocks_of(2 * pairs, (0,), random.Random(pairs).random)
    places = [arm for block in blocks for arm in block.visits]
    assert sum(place if arm is Arm.A else -place for place, arm in enumerate(places)) == 0


def test_the_first_block_goes_upwards_in_both_arms_and_the_others_do_not() -> None:
    """Until every shape was visited once, nobody knows whether the host has memory for it."""
    plans = [blocks_of(8, (2, 0, 1), random.Random(seed).random) for seed in range(20)]

    assert {plan[0].cells for plan in plans} == {(2, 0, 1)}
    assert len({block.cells for plan in plans for block in plan[1:]}) == 6

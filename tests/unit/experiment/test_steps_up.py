"""Before a heavier cell: refused when a straight line through the last two steps ends below the floor."""

import pytest

from sparktune.experiment.steps_up import Step, ascending, refusal, weight_of
from sparktune.model.cell import Cell
from sparktune.model.guard import Limits

_GIB = 2**30
_LIMITS = Limits()


def _steps(*pairs: tuple[int, float]) -> list[Step]:
    return [Step(weight=weight, lowest=round(size * _GIB)) for weight, size in pairs]


@pytest.mark.parametrize(
    ("steps", "weight", "says"),
    [
        ([(0, 20)], 1000, ""),
        ([(0, 20), (1000, 18)], 4000, ""),
        ([(0, 20), (1000, 18)], 10_000, "would leave 0 B, the floor is 3.0 GiB"),
        ([(0, 20), (1000, 10)], 2000, "10.0 GiB went with the last 1000; 2000 tokens would leave 0 B"),
        ([(0, 20), (1000, 15), (2000, 9)], 3000, ""),
        ([(0, 20), (1000, 15), (2000, 9)], 3001, "would leave 3.0 GiB, the floor is 3.0 GiB"),
        ([(0, 20), (1000, 2.5)], 1000, "only 2.5 GiB were left in the step before"),
        ([(0, 2.0)], 1, "only 2.0 GiB were left"),
        ([(0, 20), (1000, 21)], 10**9, ""),  # memory came back: nothing is known against it
        ([(0, 20), (1000, 4), (500, 4)], 1000, ""),  # one more wave of a cell that was there already
    ],
)
def test_the_next_step(steps: list[tuple[int, float]], weight: int, says: str) -> None:
    why = refusal("spark1", _steps(*steps), weight, _LIMITS)
    assert (says in why) if says else not why


def test_without_a_floor_nothing_is_refused() -> None:
    assert not refusal("spark1", _steps((0, 1), (1, 0.5)), 9, Limits(available_floor=None))


def test_nothing_known_refuses_nothing() -> None:
    assert not refusal("spark1", [], 9, _LIMITS)


def test_cells_go_up_by_the_tokens_in_flight() -> None:
    cells = (
        Cell(prompt_tokens=8192, output_tokens=128, concurrency=4),
        Cell(prompt_tokens=512, output_tokens=128),
        Cell(prompt_tokens=512, output_tokens=128, depth=32_768),
        Cell(prompt_tokens=2048, output_tokens=128, concurrency=2),
    )
    assert [weight_of(cell) for cell in cells] == [33_280, 640, 33_408, 4352]
    assert ascending(cells) == (1, 3, 0, 2)

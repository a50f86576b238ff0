"""When the requests of a wave start: what each cell plans, and that two arms meet the same plan."""

import math
from itertools import pairwise

import pytest

from sparktune.bench.arrivals import starts_of
from sparktune.model.arrival import Arrivals, Start
from sparktune.model.cell import Cell
from sparktune.model.mix import Household, OwnPrompts


def _cell(concurrency: int, arrivals: Arrivals) -> Cell:
    return Cell(prompt_tokens=10, output_tokens=10, concurrency=concurrency, arrivals=arrivals)


def test_streams_start_one_stagger_apart() -> None:
    starts = starts_of(_cell(4, Arrivals(stagger_s=2.0)), "any")

    assert starts == (Start(), Start(delay_s=2.0), Start(delay_s=4.0), Start(delay_s=6.0))


def test_a_plain_wave_starts_at_once() -> None:
    assert starts_of(_cell(3, Arrivals()), "any") == (Start(), Start(), Start())


def test_the_waits_of_a_poisson_process_are_exponential() -> None:
    """Mean and standard deviation of the waits are 1/rate, and as many as expected are longer than their mean."""
    rate, count = 4.0, 4000
    times = [start.delay_s for start in starts_of(_cell(count, Arrivals(rate_per_s=rate)), "seed")]
    waits = [after - before for before, after in pairwise(times)]
    mean = math.fsum(waits) / len(waits)
    deviation = math.sqrt(math.fsum((wait - mean) ** 2 for wait in waits) / len(waits))

    assert times[0] == 0.0
    assert min(waits) >= 0.0
    # 4 standard errors: the sequence is fixed, so this passes always or never.
    assert mean * rate == pytest.approx(1.0, abs=4 / math.sqrt(count))
    assert deviation * rate == pytest.approx(1.0, abs=8 / math.sqrt(count))
    assert sum(wait > mean for wait in waits) / len(waits) == pytest.approx(math.exp(-1), abs=4 / math.sqrt(count))


def test_the_same_key_gives_the_same_arrivals_and_another_one_others() -> None:
    cell = _cell(8, Arrivals(rate_per_s=1.0))

    assert starts_of(cell, "0/a/measure/1") == starts_of(cell, "0/a/measure/1")
    assert starts_of(cell, "0/a/measure/1") != starts_of(cell, "0/a/measure/2")


def test_own_prompts_queue_up_behind_as_many_streams() -> None:
    prompts = OwnPrompts(name="own.jsonl", digest="abc", count=5)
    cell = Cell(prompt_tokens=0, output_tokens=8, concurrency=2, prompts=prompts, arrivals=Arrivals(stagger_s=1.0))

    assert starts_of(cell, "any") == (
        Start(),
        Start(delay_s=1.0),
        Start(after=0),
        Start(after=1),
        Start(after=2),
    )


@pytest.mark.parametrize(
    ("turns", "reply", "interrupted", "reads"), [(2, 16, 1, 4), (3, 64, 1, 8), (4, 800, 2, 100), (5, 8, 2, 4)]
)
def test_the_long_prompt_comes_while_an_answer_in_the_middle_is_written(
    turns: int, reply: int, interrupted: int, reads: int
) -> None:
    mix = Household(
        opening_tokens=100, turns=turns, turn_tokens=20, reply_tokens=reply, long_tokens=999, long_reply_tokens=4
    )
    starts = starts_of(Cell.of_household(mix), "any")

    assert starts[:turns] == (Start(), *(Start(after=turn - 1) for turn in range(1, turns)))
    assert starts[turns:] == (Start(after=interrupted, reads=reads),)

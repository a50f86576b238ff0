"""When prompts are complete that share one server: every instant here is worked out by hand."""

import pytest

from sparktune.io.reference.prefill import Prefills, Prompt

_MS = 1_000_000
_RATE = 1000.0  # a token takes a millisecond alone


def _run(arrivals: list[tuple[int, int]], limit: int, looks: tuple[int, ...] = (10_000,)) -> list[int]:
    """Return when each prompt of (arrival in ms, tokens) is complete, in ms; ``looks`` are when somebody looks."""
    prefills, complete = Prefills(), [-1] * len(arrivals)
    for number, (at_ms, tokens) in enumerate(arrivals):

        def done(instant_ns: int, number: int = number) -> None:
            complete[number] = round(instant_ns / _MS)

        prefills.add(Prompt(tokens, done), at_ms * _MS, limit=limit, rate=_RATE)
    for look in looks:
        prefills.advance(look * _MS)
    assert prefills.due_ns is None
    return complete


@pytest.mark.parametrize(
    ("arrivals", "limit", "complete"),
    [
        ([(0, 100)], 1, [100]),
        ([(0, 100), (0, 100)], 1, [100, 200]),
        ([(0, 100), (0, 100)], 2, [200, 200]),  # the last one waits no less: the server is no faster
        ([(0, 400), (100, 20)], 1, [400, 420]),  # the short one waits for all of the long one
        ([(0, 400), (100, 20)], 2, [420, 140]),  # and here for as much again as it takes itself
        ([(0, 400), (100, 20), (100, 20)], 2, [440, 140, 180]),  # the third one waits for a place
        ([(0, 100), (500, 100)], 2, [100, 600]),
        ([(0, 100), (100, 50)], 2, [100, 150]),  # one leaves at the instant when the other comes
        ([(7, 0)], 1, [7]),
    ],
)
def test_prompts_share_the_rate(arrivals: list[tuple[int, int]], limit: int, complete: list[int]) -> None:
    assert _run(arrivals, limit) == complete


def test_the_instants_do_not_depend_on_when_somebody_looks() -> None:
    """A busy machine looks late: what is due then is still due at its own instant."""
    arrivals = [(0, 400), (100, 20), (100, 33)]
    assert _run(arrivals, 2, (10_000,)) == _run(arrivals, 2, tuple(range(101, 600)))


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_who_leaves_makes_room(gone: int) -> None:
    prefills, complete = Prefills(), list[int]()
    prompts = [Prompt(100, complete.append) for _ in range(3)]
    for prompt in prompts:
        prefills.add(prompt, 0, limit=1, rate=_RATE)
    prefills.remove(prompts[gone], 50 * _MS)
    prefills.advance(10_000 * _MS)
    assert complete == ([150 * _MS, 250 * _MS] if gone == 0 else [100 * _MS, 200 * _MS])

"""Graph coverage against what people saw in their boot logs and rates; each number below is in a public report."""

import pytest

from sparktune.deploy.graph_coverage import Graphs, coverage, ladder, least_cap


@pytest.mark.parametrize(
    ("requests", "drafts", "cap", "steps", "covered"),
    [
        (6, 5, 36, (36, 32, 24), 4),
        (6, 6, 42, (42, 40, 35), 5),
        (6, 3, 6, (6, 4), 1),
        (6, 5, 48, (48,), 8),
        (128, 3, 128, (128,), 32),
        (128, 5, 128, (128, 120), 20),
        (128, 5, 8, (8, 6), 1),
        (12, 0, 12, (12, 8), 8),
        (18, 0, 18, (18, 16), 16),
    ],
)
def test_a_cap_is_cut_twice(requests: int, drafts: int, cap: int, steps: tuple[int, ...], covered: int) -> None:
    found = coverage(Graphs(requests=requests, drafts=drafts, cap=cap))
    assert found is not None
    assert (found.steps, found.requests) == (steps, covered)


def test_the_ladder_is_the_engines() -> None:
    assert ladder(3) == (1, 2)
    assert ladder(24) == (1, 2, 4, 8, 16, 24)
    assert ladder(288)[-4:] == (248, 256, 272, 288)


@pytest.mark.parametrize(
    ("version", "sizes", "covered"),
    [(None, None, None), ((0, 20), None, None), ((0, 21), None, 8), ((0, 25), None, 16), (None, (3, 6, 12, 30), 10)],
)
def test_what_is_not_told_is_the_versions(
    version: tuple[int, int] | None, sizes: tuple[int, ...] | None, covered: int | None
) -> None:
    """An unknown version's default is unknown: guessing it would call a good setting bad."""
    found = coverage(Graphs(requests=10, drafts=2, sizes=sizes, version=version))
    assert (None if found is None else found.requests) == covered


def test_the_newest_default_covers_every_decode_step() -> None:
    """Version 0.33 adds the exact sizes of decode steps: what is not told there is no fault."""
    found = coverage(Graphs(requests=6, drafts=6, version=(0, 33)))
    assert found is not None
    assert found.requests >= 6


def test_more_batched_tokens_than_graphs_are_of_no_use() -> None:
    found = coverage(Graphs(requests=64, drafts=0, cap=64, batched_tokens=20))
    assert found is not None
    assert found.requests == 16


@pytest.mark.parametrize("drafts", range(9))
@pytest.mark.parametrize("requests", [1, 2, 3, 5, 6, 7, 10, 16, 33, 64, 128])
def test_the_least_cap_covers_and_no_smaller_one_does(requests: int, drafts: int) -> None:
    """A remedy that leaves one request outside would be worse than none: it reads as settled."""
    cap = least_cap(requests, drafts)
    assert cap is not None
    found = coverage(Graphs(requests=requests, drafts=drafts, cap=cap))
    assert found is not None
    assert found.requests >= requests
    for smaller in ladder(cap)[:-1]:
        less = coverage(Graphs(requests=requests, drafts=drafts, cap=smaller))
        assert less is not None
        assert less.requests < requests

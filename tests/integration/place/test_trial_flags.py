"""``place trial``: what cannot be meant is refused before anything is looked at, with the next step."""

import pytest
from tests.support.cli import run_sparktune


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "which thread is meant is not said"),
        (("abc",), "is not TID@NODE"),
        (("1", "--max-blocks", "4"), "--max-blocks 4 is none of 1, 2, 3, 5, 8"),
        (("1", "--cpus", "a-b"), "--cpus: no CPU list"),
        (("1", "--window", "0.1s"), "--window 0.1s is not between 1 and 3600 s"),
        (("1", "--service", "x"), "'x' is to be looked up"),
        (("1", "--show", "last"), "a thread is named, too"),
    ],
)
def test_usage(arguments: tuple[str, ...], words: str) -> None:
    found = run_sparktune("place", "trial", *arguments, *(() if "--show" in arguments else ("--dry-run",)))

    assert found.code == 2
    assert words in found.err
    assert "hint:" in found.err


def test_without_a_terminal_nothing_is_moved_unasked() -> None:
    found = run_sparktune("place", "trial", "1")

    assert found.code == 2
    assert "--yes" in found.err


def test_a_store_without_trials_says_how_to_make_one() -> None:
    found = run_sparktune("place", "trial", "--show", "last")

    assert found.code == 1
    assert "sparktune place trial TID@NODE" in found.err
    assert run_sparktune("place", "trial", "--undo", "--yes").code == 0

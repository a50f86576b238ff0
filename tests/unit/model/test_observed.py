"""Missing is not fine and unreadable is not missing: the three answers must never turn into each other."""

from sparktune.model.observed import Observed, State, absent, present, unreadable


def test_a_value_that_is_there_is_changed() -> None:
    assert present("7").map(int) == present(7)


def test_what_is_not_there_stays_so() -> None:
    nothing: Observed[str] = absent()

    assert nothing.map(int).state is State.ABSENT


def test_why_it_was_not_read_is_kept() -> None:
    hidden: Observed[str] = unreadable("permission denied")

    assert hidden.map(int) == unreadable("permission denied")


def test_a_value_that_cannot_be_understood_is_unreadable_and_says_so() -> None:
    answer = present("seven").map(int)

    assert answer.state is State.UNREADABLE
    assert "seven" in answer.why


def test_an_empty_text_is_a_value() -> None:
    assert present("").map(len) == present(0)

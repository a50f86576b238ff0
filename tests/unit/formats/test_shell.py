"""Words as the shell, compose and systemd split them; the standard library is asked where it knows the same rules."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.formats.located import whole
from sparktune.formats.quoting import Dialect, quoted
from sparktune.formats.shell import lex

_SHELL, _COMPOSE, _SYSTEMD = Dialect.SHELL, Dialect.COMPOSE, Dialect.SYSTEMD


def _words(text: str, dialect: Dialect) -> list[str]:
    return [one.word.text for one in lex(whole(text), dialect) if one.word is not None]


@pytest.mark.parametrize(
    ("dialect", "text", "words"),
    [
        (_SHELL, "a 'b c' \"d\"'e'", ["a", "b c", "de"]),
        (_SHELL, "a \\\n  b", ["a", "b"]),
        (_SHELL, "a \\\r\n  b", ["a", "b"]),
        (_SHELL, "a#b # c", ["a#b"]),
        (_SHELL, '"${X:-"y z"}" ${A:-b c}', ['${X:-"y z"}', "${A:-b c}"]),
        (_SHELL, "$(echo 'a)') `b c`", ["$(echo 'a)')", "`b c`"]),
        (_SHELL, '"a\\"b\\n\\$"', ['a"b\\n$']),
        (_SHELL, "'' \"\"", ["", ""]),
        (_SHELL, "{a} '{b}' {{c}}", ["{a}", "{b}", "{{c}}"]),
        (_COMPOSE, "a 'b c' # d", ["a", "b c", "#", "d"]),
        (_COMPOSE, "a\\nb c\\ d", ["a\nb", "c d"]),
        (_COMPOSE, "a \\\n b", ["a", "\n", "b"]),
        (_COMPOSE, '\'a\\b\' "c\\"d"', ["a\\b", 'c"d']),
        (_SYSTEMD, "a 'b c' \"d e\" f'g h'\"i\"", ["a", "b c", "d e", "fg hi"]),
        (_SYSTEMD, "'it\\'s' \\x41\\s\\q a\\ b", ["it's", "A \\q", "a\\ b"]),
        (_SYSTEMD, "a && b # c", ["a", "&&", "b", "#", "c"]),
    ],
)
def test_words(dialect: Dialect, text: str, words: list[str]) -> None:
    assert _words(text, dialect) == words


@pytest.mark.parametrize("text", ["'a", '"a', "$(a", "${a", "`a", "a\\"])
def test_what_is_never_closed_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(ValueError, match=r"never closed|backslash") as refused:
        lex(whole("ok " + text), _SHELL)
    assert refused.value.place >= len("ok ")  # type: ignore[attr-defined]


@given(text=st.text(alphabet="ab '\"\\\n", max_size=20))
def test_words_of_a_plain_text_are_those_of_the_standard_library(text: str) -> None:
    try:
        found = _words(text, _SHELL)
    except ValueError:
        return
    if "\\\n" not in text:  # shlex keeps a line end behind a backslash; POSIX removes both
        assert found == shlex.split(text)


@given(words=st.lists(st.text(alphabet="ab '\"\\#;&|{}()<>=*~!%,é", min_size=1, max_size=8), max_size=4))
def test_every_way_to_quote_a_word_reads_as_that_word(words: list[str]) -> None:
    for dialect in Dialect:
        for word in words:
            for form in quoted(word, dialect):
                assert _words(f"x {form} y", dialect) == ["x", word, "y"], (dialect, form)


@given(text=st.text(alphabet="ab '\"\\\n${}()`#;&", max_size=30), dialect=st.sampled_from(Dialect))
def test_places_are_those_of_the_words(text: str, dialect: Dialect) -> None:
    try:
        tokens = lex(whole(text), dialect)
    except ValueError:
        return
    places = [place for one in tokens for place in (one.start, one.end)]
    assert places == sorted(places)
    for token in tokens:
        if token.word is not None:
            assert len(token.word.raw) == len(token.word.text)
            assert all(token.start <= begin < end <= token.end for begin, end in token.word.raw)

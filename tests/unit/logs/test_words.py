"""The filter in front of everything: a line that has a word is never passed over, whatever is written around it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.logs.words import WordFilter, shapes_of

_WORDS = (
    "Free memory on device",
    "status=12",
    " E ",
    "cuda:0",
    "a < b",
    'say "hello"',
    "level:error",
    "back\\slash",
    "Ünsure",
    "error",
    "errors of",
)


def _found(line: bytes) -> set[str]:
    (shape,) = shapes_of(line.replace(b"\n", b" "))
    return {_WORDS[number] for number in WordFilter(_WORDS).found(shape, shape.split())}


@given(st.text(max_size=60), st.sampled_from(_WORDS), st.text(max_size=60))
def test_a_word_anywhere_in_a_line_is_found(before: str, word: str, after: str) -> None:
    line = f"{before}{word}{after}".encode("utf-8", "replace")
    assert word in _found(line)


@given(st.text(st.characters(exclude_categories=("C",)), max_size=60), st.sampled_from(_WORDS))
def test_a_word_in_json_is_found(before: str, word: str) -> None:
    assert word in _found(json.dumps({"log": f"{before} {word} after"}).encode())


def test_other_lines_are_passed_over_and_remembered() -> None:
    words = WordFilter(("Free memory on device", " E "))
    for line in (b"memory 12 of Frees", b"EE of E.", b"device"):
        (shape,) = shapes_of(line)
        assert words.found(shape, shape.split()) == ()
        if b"device" not in line and b"memory" not in line:
            assert words.silent.issuperset(shape.split())


def test_digits_alone_are_no_word() -> None:
    with pytest.raises(ValueError, match="needs a letter"):
        WordFilter(("137",))


def test_a_filter_without_words_finds_none() -> None:
    assert WordFilter(()).found(b"any words", [b"any", b"words"]) == ()

"""Nonces are unique, cheap and of constant length."""

from hypothesis import given
from hypothesis import strategies as st

from sparktune.bench.nonce import _WORDS, NONCE_WORDS, WORD_CHARS, nonce_words

_parts = st.lists(
    st.one_of(st.integers(), st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x1f"))), max_size=5
)


def test_the_list_gives_a_word_to_every_byte() -> None:
    """256 different words of one length: 8 bits each, and a stable size even for a tokenizer of bytes."""
    assert len(set(_WORDS)) == 256 == len(_WORDS)
    assert {len(word) for word in _WORDS} == {WORD_CHARS}
    assert all(word.isascii() and word.islower() for word in _WORDS)


@given(parts=_parts, shorter=st.integers(0, 80), longer=st.integers(0, 80))
def test_a_longer_nonce_begins_with_the_shorter(parts: list[int | str], shorter: int, longer: int) -> None:
    shorter, longer = sorted((shorter, longer))

    assert nonce_words(parts, longer)[:shorter] == nonce_words(parts, shorter)


def test_every_request_of_a_large_run_has_its_own_nonce() -> None:
    keys = [
        (run, cell, phase, trial, stream)
        for run in ("a", "b")
        for cell in range(10)
        for phase in ("warmup", "measure")
        for trial in range(10)
        for stream in range(64)
    ]

    assert len({nonce_words(key) for key in keys}) == len(keys)
    assert all(len(nonce_words(key)) == NONCE_WORDS for key in keys[:10])


def test_parts_do_not_run_together() -> None:
    """Trial 1 of stream 11 is not trial 11 of stream 1."""
    assert nonce_words((1, 11)) != nonce_words((11, 1))
    assert nonce_words(("ab", "c")) != nonce_words(("a", "bc"))

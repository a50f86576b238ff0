"""Prompts have exactly the asked length whatever the tokenizer, and start with what makes them unique."""

import math
from collections.abc import Callable

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from tests.support import tokenizers

from sparktune.bench.corpus import Corpus
from sparktune.bench.nonce import NONCE_WORDS, nonce_words
from sparktune.bench.prompts import PROMPT_WORDS, Fitted, TooSmall, fit

_PROSE = (
    "The statement below is executed once, when the module is loaded; a second import finds it in the cache.\n\n"
    "def window(size: int = 0) -> str:\n    return text[start : start + size]  # a copy, not a view\n\n"
    "Numbers such as 3.14159 or 1_000_000 and names_with_underscores are cut differently by every tokenizer.\n"
)
_SPACES = Corpus(name="spaces", text=("column" + " " * 130 + "next\n" + "=" * 70 + "\n") * 20)
_ENGLISH = Corpus(name="english", text=_PROSE * 30)
_NO_SPACES = Corpus(name="no spaces", text="".join(chr(0x4E00 + index * 7 % 3000) for index in range(5000)))
_CORPORA = {corpus.name: corpus for corpus in (_ENGLISH, _SPACES, _NO_SPACES)}


def _drive(target: int, key: str, corpus: Corpus, count: Callable[[str], int]) -> Fitted | TooSmall:
    fitting = fit(target, nonce_words((key,), PROMPT_WORDS), lambda chars: corpus.window(key, chars))
    text = next(fitting)
    while True:
        try:
            text = fitting.send(count(text))
        except StopIteration as end:
            result: Fitted | TooSmall = end.value
            return result


@pytest.mark.parametrize("name", tokenizers.EXACT)
@given(
    target=st.integers(min_value=1, max_value=3000),
    overhead=st.integers(min_value=0, max_value=60),
    key=st.text(max_size=5),
    corpus=st.sampled_from(sorted(_CORPORA)),
)
@example(target=160, overhead=114, key="run", corpus="spaces")
def test_fit_is_exact(name: str, target: int, overhead: int, key: str, corpus: str) -> None:
    """What a template or a context adds to every count must not matter."""
    assume(name != "words" or corpus != "no spaces")  # then the whole text is one token
    tokenizer = tokenizers.EXACT[name]
    fitted = _drive(target, key, _CORPORA[corpus], lambda text: overhead + tokenizer(text))

    if isinstance(fitted, TooSmall):
        assert fitted.smallest == overhead + 1 > target
    else:
        assert fitted.tokens == target == overhead + tokenizer(fitted.text)
        assert fitted.steps <= 24


@pytest.mark.parametrize("target", [64, 256, 2048, 32768])
@pytest.mark.parametrize("name", ["words", "four_chars", "merging"])
def test_fit_takes_few_steps(name: str, target: int) -> None:
    """Each step is a question to the server, for every stream of every wave."""
    tokenizer = tokenizers.EXACT[name]
    fitted = [_drive(target, str(key), _ENGLISH, tokenizer) for key in range(20)]

    assert all(isinstance(one, Fitted) for one in fitted)
    assert max(one.steps for one in fitted if isinstance(one, Fitted)) <= 12
    assert sum(one.steps for one in fitted if isinstance(one, Fitted)) / len(fitted) <= 7


@given(target=st.integers(min_value=40, max_value=2000), key=st.text(max_size=5))
def test_a_tokenizer_that_cannot_reach_a_count_gives_the_nearest_and_says_so(target: int, key: str) -> None:
    fitted = _drive(target, key, _ENGLISH, tokenizers.doubling)

    assert isinstance(fitted, Fitted)
    assert fitted.target == target
    assert fitted.tokens == tokenizers.doubling(fitted.text)
    assert abs(fitted.tokens - target) == target % 2


@given(target=st.integers(min_value=40, max_value=2000), key=st.text(max_size=5))
def test_a_tokenizer_that_merges_over_borders_ends_near_and_tells_the_truth(target: int, key: str) -> None:
    """A longer text may count less there, which no search by halves expects."""
    fitted = _drive(target, key, _ENGLISH, tokenizers.pairs)

    assert isinstance(fitted, Fitted)
    assert fitted.tokens == tokenizers.pairs(fitted.text)
    assert abs(fitted.tokens - target) <= 1
    assert fitted.steps <= 24


@given(target=st.integers(min_value=NONCE_WORDS, max_value=500), key=st.text(max_size=5))
def test_the_nonce_comes_first(target: int, key: str) -> None:
    """A prefix cache compares from the front: behind equal text a nonce would be useless."""
    fitted = _drive(target, key, _ENGLISH, tokenizers.words)

    assert isinstance(fitted, Fitted)
    assert tuple(fitted.text.split()[:NONCE_WORDS]) == nonce_words((key,))


@given(target=st.integers(min_value=1, max_value=500), key=st.text(max_size=5))
def test_the_same_key_gives_the_same_prompt(target: int, key: str) -> None:
    assert _drive(target, key, _ENGLISH, tokenizers.merging) == _drive(target, key, _ENGLISH, tokenizers.merging)


@given(target=st.integers(min_value=1, max_value=500), key=st.text(max_size=5), other=st.text(max_size=5))
def test_renewing_changes_the_nonce_and_neither_length_nor_text(target: int, key: str, other: str) -> None:
    """Where counting costs a prefill, one fitted text serves all requests of its shape."""
    fitted = _drive(target, key, _ENGLISH, tokenizers.words)
    assert isinstance(fitted, Fitted)
    words = nonce_words((other,), PROMPT_WORDS)
    renewed = fitted.renewed(words)

    assert tokenizers.words(renewed.text) == target
    assert tokenizers.utf8_bytes(renewed.text) == tokenizers.utf8_bytes(fitted.text)
    assert renewed.text.endswith(fitted.rest)
    assert renewed.text.split()[:1] == list(words[:1])


def test_too_small_says_what_is_possible() -> None:
    """A chat template of 30 tokens makes a prompt of 10 impossible; a wrong length must not be sent instead."""
    assert _drive(10, "key", _ENGLISH, lambda text: 30 + tokenizers.words(text)) == TooSmall(target=10, smallest=31)


def test_a_server_that_always_counts_the_same_is_not_asked_for_ever() -> None:
    fitted = _drive(60, "key", _ENGLISH, lambda _: 59)

    assert isinstance(fitted, Fitted)
    assert (fitted.target, fitted.tokens) == (60, 59)
    assert fitted.steps <= 24


def test_a_count_that_grows_ever_more_slowly_is_approached_from_below() -> None:
    """The search for the cut gives up after a few steps; what it has is then padded, and the truth is told."""
    fitted = _drive(900, "run", _ENGLISH, lambda text: int(60 * math.log2(1 + len(text))))

    assert isinstance(fitted, Fitted)
    assert fitted.tokens <= 900
    assert fitted.tokens == int(60 * math.log2(1 + len(fitted.text)))

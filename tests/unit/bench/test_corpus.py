"""Windows are chosen by their key alone, start with a word and are as long as asked."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sparktune.bench.corpus import Corpus

_TEXT = " ".join(f"word{index}" for index in range(2000))
_CORPUS = Corpus(name="test", text=_TEXT)


@given(key=st.text(max_size=8), chars=st.integers(0, 40_000))
def test_a_window_is_as_long_as_asked(key: str, chars: int) -> None:
    """Longer than the text, it starts over."""
    assert len(_CORPUS.window(key, chars)) == chars


@given(key=st.text(max_size=8), shorter=st.integers(0, 30_000), longer=st.integers(0, 30_000))
def test_a_longer_window_begins_with_the_shorter(key: str, shorter: int, longer: int) -> None:
    """Fitting lengthens a text; it must not change it."""
    shorter, longer = sorted((shorter, longer))

    assert _CORPUS.window(key, longer)[:shorter] == _CORPUS.window(key, shorter)


@given(key=st.text(max_size=8))
@example(key="\xc4\U0008b646\xdfB\U0010233eC\\J")  # falls into the last word of the text
def test_a_window_starts_with_a_word(key: str) -> None:
    assert _CORPUS.window(key, 30).split()[0] in {"word0", *_TEXT.split()}


def test_keys_choose_different_windows() -> None:
    starts = {_CORPUS.window(str(key), 40) for key in range(200)}

    assert len(starts) > 180


def test_text_without_spaces_is_cut_anywhere() -> None:
    corpus = Corpus(name="test", text="".join(chr(0x4E00 + index % 900) for index in range(3000)))

    assert len(corpus.window("a", 100)) == 100
    assert corpus.window("a", 100) != corpus.window("b", 100)


def test_a_corpus_holds_text() -> None:
    with pytest.raises(ValueError, match="holds no text"):
        Corpus(name="blank", text=" \n")

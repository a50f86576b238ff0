"""How the reference server counts and remembers."""

import pytest

from sparktune.io.reference.asks import Message, TextPart, prompt_of
from sparktune.io.reference.prompts import OUTPUT_WORDS, PrefixCache, Vocabulary, output_text, words

_PROMPT = tuple(f"w{number}" for number in range(40))


def test_output_words_differ() -> None:
    """Equal words would make ids of the vocabulary and of the stream disagree."""
    assert len(set(OUTPUT_WORDS)) == len(OUTPUT_WORDS)
    assert Vocabulary().ids(OUTPUT_WORDS) == list(range(len(OUTPUT_WORDS)))


@pytest.mark.parametrize("pieces", [(1,) * 70, (3,) * 20, (70,)])
def test_output_text_does_not_depend_on_chunks(pieces: tuple[int, ...]) -> None:
    starts = [sum(pieces[:index]) for index in range(len(pieces))]
    text = "".join(output_text(start, size) for start, size in zip(starts, pieces, strict=True))

    assert len(words(text)) == sum(pieces)
    assert text == output_text(0, sum(pieces))


def test_vocabulary_gives_words_back() -> None:
    vocabulary = Vocabulary()
    ids = vocabulary.ids(["river", "never-seen", "river"])

    assert vocabulary.text(ids) == "river never-seen river"
    assert ids[0] == ids[2]


@pytest.mark.parametrize("number", [-1, 10_000])
def test_vocabulary_refuses_a_number_never_given(number: int) -> None:
    with pytest.raises(ValueError, match=str(number)):
        Vocabulary().text([number])


@pytest.mark.parametrize(
    ("second", "salt", "expected"),
    [
        (_PROMPT, "", 32),
        (_PROMPT[:32], "", 16),  # the last token is always computed, and only whole blocks are reused
        (_PROMPT[:33], "", 32),
        (_PROMPT[:20] + ("other",) * 20, "", 16),
        (("nonce", *_PROMPT), "", 0),
        (_PROMPT, "salt", 0),
        (_PROMPT[:15], "", 0),
    ],
)
def test_prefix_cache_reuses_whole_blocks(second: tuple[str, ...], salt: str, expected: int) -> None:
    cache = PrefixCache()

    assert cache.reuse(_PROMPT, "") == 0
    assert cache.reuse(second, salt) == expected


def test_cleared_cache_has_seen_nothing() -> None:
    cache = PrefixCache()
    cache.reuse(_PROMPT, "")
    cache.clear()

    assert cache.reuse(_PROMPT, "") == 0


@pytest.mark.parametrize(
    ("messages", "prompt", "expected"),
    [
        ([Message(role="user", content="a b")], None, 9),
        (
            [Message(role="system", content="a"), Message(role="user", content=[TextPart(type="text", text="b c")])],
            None,
            10,
        ),
        ([Message(role="user")], None, 7),
        (None, "a b c", 3),
        (None, [5, 6], 2),
    ],
)
def test_prompt_tokens(messages: list[Message] | None, prompt: str | list[int] | None, expected: int) -> None:
    tokens = prompt_of(messages, prompt, overhead=7)

    assert tokens is not None
    assert len(tokens) == expected


def test_no_prompt_is_not_an_empty_prompt() -> None:
    assert prompt_of(None, None, overhead=7) is None

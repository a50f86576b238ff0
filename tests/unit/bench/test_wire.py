"""The server's words reach the user in one short line, whatever form they had."""

import pytest

from sparktune.bench.wire import Chunk, error_text, one_line, parse_chunk


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"error": {"message": "no", "code": 500}}, "no"),
        ({"message": "no", "code": 500}, "no"),
        ({"error": "no"}, "no"),
        ({"detail": "Not Found"}, "Not Found"),
        ({"detail": [{"msg": "too large"}]}, '[{"msg":"too large"}]'),
        ({"error": {"error": {"error": {"error": "deep"}}}}, '{"error":"deep"}'),
        ("no", "no"),
        ({"code": 7}, '{"code":7}'),
        ({"error": {"message": "two\nlines\tand\x00more"}}, "two lines and more"),
    ],
)
def test_error_words(value: object, expected: str) -> None:
    assert error_text(value) == expected


def test_a_long_text_is_shortened() -> None:
    line = one_line("word " * 1000)

    assert len(line) == 200
    assert line.endswith("…")


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (b'{"choices":[{"delta":{"content":"\xf0\x9f"}}]}', "\ufffd"),
        (b'{"choices":[{"delta":{"content":"\\ud83d"}}]}', "\ufffd"),
        (b'{"choices":[{"delta":{"content":"\\uDE00 \\ud83d\\ude00"}}]}', "\ufffd 😀"),
    ],
    ids=["bytes cut in two", "first half of a pair", "second half, and a whole pair"],
)
def test_characters_cut_in_two_do_not_end_a_stream(payload: bytes, text: str) -> None:
    """Servers that stream bytes or UTF-16 units as tokens do cut them; the other half comes with the next chunk."""
    chunk = parse_chunk(payload)

    assert isinstance(chunk, Chunk)
    assert chunk.choices is not None
    assert chunk.choices[0].delta == {"content": text}


@pytest.mark.parametrize("payload", [b"null", b"[]", b'{"usage":{"completion_tokens":-1}}', b"nope", b"", b"[DONE"])
def test_what_is_no_chunk_is_said(payload: bytes) -> None:
    assert isinstance(parse_chunk(payload), str)


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        (b'{"usage":{"completion_tokens":64.5}}', "Expected `int | null`, got `float`"),
        (b'{"usage":{"completion_tokens":-1.0}}', "got `float`"),
        (b'{"usage":{"completion_tokens":1e30}}', "got `float`"),
        (b'{"usage":{"prompt_tokens":5.0,"completion_tokens":"7"}}', "got `float`"),
        (b'{"usage":{"completion_tokens":7.0},"choices":{}}', "got `float`"),
    ],
)
def test_what_is_no_whole_number_voids_as_before(payload: bytes, said: str) -> None:
    told = parse_chunk(payload)

    assert isinstance(told, str)
    assert said in told

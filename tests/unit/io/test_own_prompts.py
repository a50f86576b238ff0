"""A file of own prompts: what is read, and what a person is told about a line that is none."""

from pathlib import Path

import pytest

from sparktune.errors import UsageError
from sparktune.io.own_prompts import own_prompts_of, prompts_corpus


def _written(folder: Path, text: str | bytes) -> Path:
    path = folder / "own.jsonl"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_prompts_and_messages_are_read_as_they_are(tmp_path: Path) -> None:
    text = (
        '\ufeff{"prompt": " one\\n"}\r\n'
        "\n"
        '{"messages": [{"role": "system", "content": ""}, {"role": "user", "content": "two"}], "output_tokens": 7}'
    )
    corpus = prompts_corpus(_written(tmp_path, text))

    assert [prompt.messages for prompt in corpus.prompts] == [((("", " one\n")),), (("system", ""), ("user", "two"))]
    assert [prompt.output_tokens for prompt in corpus.prompts] == [None, 7]
    assert [prompt.place for prompt in corpus.prompts] == [
        f"{tmp_path}/own.jsonl line 1",
        f"{tmp_path}/own.jsonl line 3",
    ]


def test_the_digest_is_of_the_prompts_and_not_of_line_ends(tmp_path: Path) -> None:
    names = [
        prompts_corpus(_written(tmp_path, text)).name
        for text in ('{"prompt": "a"}\n', '{"prompt": "a"}\r\n\r\n', '{"prompt": "b"}\n')
    ]

    assert names[0] == names[1] != names[2]
    assert names[0].startswith("prompts:own.jsonl:")


def test_what_a_cell_keeps_of_them(tmp_path: Path) -> None:
    corpus = prompts_corpus(_written(tmp_path, '{"prompt": "a"}\n{"prompt": "b"}\n'))
    own = own_prompts_of(corpus, nonce=True)

    assert (own.name, own.count, own.nonce, len(own.digest)) == ("own.jsonl", 2, True, 12)
    assert corpus.name == f"prompts:own.jsonl:{own.digest}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"prompt": "a"}\nnot json', "line 2: JSON is malformed"),
        ('{"prompt": "a"}\n\n{"promt": "b"}', "line 3: Object contains unknown field promt"),
        ('{"output_tokens": 5}', "line 1: it has neither prompt nor messages"),
        (
            '{"prompt": "a", "messages": [{"role": "user", "content": "b"}]}',
            "line 1: it has both of prompt and messages",
        ),
        ('{"prompt": ""}', "line 1: Expected str of length >= 1"),
        ('{"prompt": " \\n"}', "line 1: the prompt is empty"),
        ('{"messages": []}', "line 1: Expected array of length >= 1"),
        ('{"messages": [{"role": "user"}]}', "line 1: Object missing required field content"),
        ('{"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}', "line 1: Expected str, got array"),
        ('{"prompt": "a", "output_tokens": 0}', "line 1: Expected int >= 1"),
        ('["a"]', "line 1: Expected object, got array"),
        (b'{"prompt": "\xff"}', "line 1: "),
        ("", "have 0 lines"),
        ("\n \n", "have 0 lines"),
    ],
)
def test_a_line_that_is_no_prompt_is_named(tmp_path: Path, text: str | bytes, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        prompts_corpus(_written(tmp_path, text))

    assert words in str(caught.value)
    assert "own.jsonl" in str(caught.value)
    assert caught.value.hint


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        prompts_corpus(tmp_path / "own.jsonl")


def test_more_lines_than_a_wave_sends(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="5001 lines"):
        prompts_corpus(_written(tmp_path, '{"prompt": "a"}\n' * 5001))

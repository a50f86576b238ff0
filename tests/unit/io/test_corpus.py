"""Prompt text: from the Python installation, or from the user's own file."""

import platform
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparktune.errors import MissingPart, UsageError
from sparktune.io import corpus as module
from sparktune.io.corpus import file_corpus, python_corpus


def _nothing() -> Iterator[str]:
    return iter(())


def test_the_python_corpus_holds_prose_and_code_and_stays_the_same() -> None:
    corpus = python_corpus()

    assert corpus == python_corpus()
    assert corpus.name == f"python-{platform.python_version()}"
    assert 100_000 < len(corpus.text) < 8_000_000
    assert "import " in corpus.text
    assert " the " in corpus.text


def test_without_sources_there_is_still_documentation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some installations ship compiled modules only."""
    monkeypatch.setattr(module, "_sources", _nothing)
    monkeypatch.setattr(module, "_topics", _nothing)

    assert len(python_corpus().text) > 10_000


def test_with_nothing_at_all_the_hint_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_sources", "_topics", "_docstrings"):
        monkeypatch.setattr(module, name, _nothing)

    with pytest.raises(MissingPart, match="neither documentation nor sources") as caught:
        python_corpus()
    assert "--corpus FILE" in caught.value.hint


def test_a_file_is_known_by_name_and_content(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_text("\ufeff" + "Call me early. " * 100, encoding="utf-8")
    first = file_corpus(path)
    path.write_text("Call me late. " * 100)

    assert first.name.startswith("file:book.txt:")
    assert first.text.startswith("Call me")
    assert file_corpus(path).name != first.name


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "has 0 characters"),
        (b"too short", "has 9 characters"),
        (b" \n" * 5000, "has 0 characters"),
        (b"x" * 2000 + b"\xff", "byte 2000 is 0xff"),
        (b"x" * 2000 + b"\0", "zero byte"),
    ],
)
def test_a_file_that_gives_no_prompts(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "book.txt"
    path.write_bytes(data)

    with pytest.raises(UsageError, match=words) as caught:
        file_corpus(path)
    assert caught.value.hint


def test_a_large_file_is_cut_between_characters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_BYTES", 3000)
    path = tmp_path / "book.txt"
    path.write_text("a" + "\u00e9" * 3000, encoding="utf-8")

    assert file_corpus(path).text == "a" + "\u00e9" * 1499


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        file_corpus(tmp_path / "none")
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        file_corpus(tmp_path)

"""A table in a file called .json is found out weeks later, by whoever wants to read it."""

from pathlib import Path

import pytest

from sparktune.cli._endings import refuse_ending
from sparktune.errors import UsageError


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("raw.jsonl", "JSON lines"),
        ("raw.NDJSON", "JSON lines"),
        ("raw", "JSON lines"),
        ("raw.2026", "JSON lines"),
        ("/dev/stdout", "HTML"),
        ("page.htm", "HTML"),
        ("pictures", "a folder of pictures"),
        ("of-12.5", "a folder of pictures"),
    ],
)
def test_a_name_that_says_so_or_says_nothing_is_taken(name: str, written: str) -> None:
    refuse_ending(Path(name), written)
    refuse_ending(None, written)


@pytest.mark.parametrize(
    ("name", "written", "says", "hint"),
    [
        ("y.csv", "JSON lines", "y.csv would hold JSON lines, and its name says CSV", "name it y.jsonl, or"),
        ("y.json", "JSON lines", "and its name says JSON", "name it y.jsonl, or ask for JSON"),
        ("page.md", "HTML", "and its name says Markdown", "name it page.html, or ask for Markdown"),
        ("a/page.HTML", "Markdown", "and its name says HTML", "name it a/page.md"),
        ("rules.json", "YAML", "and its name says JSON", "name it rules.yaml"),
        ("all.png", "a folder of pictures", "all.png would hold a folder of pictures", "name it all, or"),
    ],
)
def test_a_name_that_says_otherwise_is_refused(name: str, written: str, says: str, hint: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        refuse_ending(Path(name), written)
    assert caught.value.hint.startswith(hint)

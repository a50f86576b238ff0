"""``sparktune --help`` is the first page that people read: what they came for is first, and nothing is missing."""

import re

import pytest
from tests.support.in_process import invoke
from typer.main import get_command

from sparktune.cli._front import EXAMPLES, ORDER
from sparktune.cli.app import app, register_commands


def test_help_lists_commands_in_the_order_of_the_story_and_every_one_once() -> None:
    if not app.registered_commands:
        register_commands()
    group = get_command(app)

    listed = group.list_commands(None)  # type: ignore[attr-defined]

    story = ["demo", "doctor", "bench", "ab", "earned", "drift"]
    assert [name for name in listed if name in story] == story
    assert sorted(listed) == sorted(group.commands) == sorted(ORDER)  # type: ignore[attr-defined]


def test_values_and_words_are_named_as_people_name_them() -> None:
    """A stranger does not know what <int range> or [[FILE]] is."""
    for name in ORDER:
        command = get_command(app).get_command(None, name)  # type: ignore[attr-defined]
        ways = [(name, below) for below in getattr(command, "commands", {})] or [(name,)]
        for words in ways:
            text = invoke(*words, "--help").out
            usage = text.partition("\n\n")[0]

            assert not re.search(r"<(str|int|float|path|list)", text), words
            assert "{" not in usage, words
            assert "[[" not in usage.replace("[[NODE=]", ""), words


@pytest.mark.parametrize("words", EXAMPLES, ids=" ".join)
def test_a_command_that_is_not_obvious_shows_what_to_type(words: tuple[str, ...]) -> None:
    text = invoke(*words, "--help").out

    assert all(f"    {line}\n" in text for line in EXAMPLES[words])
    assert text.count("Exit codes: ") == 1

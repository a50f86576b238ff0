"""Variables in commands, and secrets that must not be seen."""

import pytest

from sparktune.errors import UsageError
from sparktune.io.launching.words import Words

_KEY = "geheim-1234567"


def _words(**environment: str) -> Words:
    return Words({"MODEL": "m.gguf", "MY_KEY": _KEY, "EMPTY": "", **environment})


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("${MODEL}", "m.gguf"),
        ("-m=${MODEL}:${MODEL}", "-m=m.gguf:m.gguf"),
        ("$MODEL", "$MODEL"),
        ("${1}", "${1}"),
        ("$${MODEL}", "${MODEL}"),
        ("100 %", "100 %"),
    ],
)
def test_only_names_in_braces_are_variables(text: str, filled: str) -> None:
    """What is meant for a shell of the user's stays as it is."""
    assert _words().filled(text) == filled


@pytest.mark.parametrize("name", ["MISSING", "EMPTY"])
def test_a_variable_that_is_not_set_stops_everything(name: str) -> None:
    """A server that starts with an empty key is open to everybody."""
    with pytest.raises(UsageError, match=f"{name}, which a command") as failed:
        _words().filled(f"x${{{name}}}")
    assert f"export {name}" in failed.value.hint


def test_a_secret_is_known_by_its_variable() -> None:
    words = _words()
    assert words.hide(f"starting with {_KEY}!") == "starting with ***!"
    assert words.line(["serve", _KEY, "--flag"]) == "serve '***' --flag"


def test_a_secret_is_known_by_where_it_stands() -> None:
    """The name of the variable says nothing, the flag does."""
    words = Words({"X": "plain-but-secret"})
    assert words.hide("plain-but-secret") == "plain-but-secret"

    words.argv(["serve", "--api-key", "${X}"])

    assert words.hide("echo plain-but-secret") == "echo ***"
    assert words.secrets == ("plain-but-secret",)


def test_a_secret_is_known_by_the_variable_that_gets_it() -> None:
    words = Words({"X": "plain-but-secret"})
    assert words.variables({"HF_TOKEN": "${X}", "N": "4"}) == {"HF_TOKEN": "plain-but-secret", "N": "4"}
    assert words.hide("plain-but-secret") == "***"
    assert words.hide_value("HF_TOKEN", "other-value") == "***"
    assert words.hide_value("N", "4") == "4"


@pytest.mark.parametrize("environment", [{"MY_KEY": "none"}, {"PWD": "/"}, {"SSH_AUTH_SOCK": "/proc/self"}])
def test_what_only_sounds_like_a_secret_hides_nothing(environment: dict[str, str]) -> None:
    """Stars in the place of every path of the user's folder would make all texts useless."""
    assert Words(environment).secrets == ()


def test_the_longer_secret_is_hidden_first() -> None:
    words = Words({"A_KEY": "abcdefgh", "B_KEY": "abcdefgh-and-more"})
    assert words.hide("abcdefgh-and-more") == "***"

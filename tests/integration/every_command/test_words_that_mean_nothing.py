"""What no option and no argument of any command takes: an empty word, a second value for one, a number that is none.

A new command is in these tables by being there. Nothing is run: the command line itself is refused, so that a script
whose variable is not set changes no other machine than the one that it names.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.in_process import commands, invoke

_COMMANDS = dict(commands())
_SAID = (" is empty\n", " '' should be ", " '' is not one of ")
_FOREIGN = "-- "  # the words of another program are its own


def _takes_dashes(command: Any) -> bool:  # noqa: ANN401 - typer's kinds of click.Parameter have no public name
    """Tell whether a name may begin with dashes there, as that of a setting does: --max-num-seqs."""
    return bool(command.context_settings.get("ignore_unknown_options"))


@pytest.mark.parametrize("words", _COMMANDS)
def test_an_empty_word(words: str) -> None:
    for param in _values(words):
        if str(param.metavar or "").startswith(_FOREIGN):
            continue
        done = invoke(*words.split(), *_needed(words, but=param), *_given(param, ""))

        assert done.code == 2, (param.name, done)
        assert done.out == ""
        assert done.err.startswith("error: "), (param.name, done)
        assert any(said in done.err for said in (" is empty\n", " '' should be ", " '' is not one of ")), (
            param.name,
            done,
        )
        assert "\nhint: " in done.err


@pytest.mark.parametrize("words", _COMMANDS)
def test_one_option_twice(words: str) -> None:
    """The last alone would count: --nodes spark1 --nodes spark2 would leave spark1 as it was, without a word."""
    for param in _values(words):
        if param.param_type_name != "option" or param.multiple:
            continue
        value = str(param.default) if param.default not in (None, "") else "1"
        done = invoke(*words.split(), *_needed(words, but=param), *_given(param, value), *_given(param, value))

        assert done.code == 2, (param.name, done)
        assert f"{_option(param)} is given 2 times" in done.err, (param.name, done)


@pytest.mark.parametrize("words", _COMMANDS)
@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
def test_a_number_that_is_none(words: str, number: str) -> None:
    for param in _values(words):
        if not isinstance(param.default, float):
            continue
        done = invoke(*words.split(), *_needed(words, but=param), f"{_option(param)}={number}")

        assert done.code == 2, (param.name, done)
        assert "is no finite number" in done.err, (param.name, done)


@pytest.mark.parametrize("words", [words for words, one in _COMMANDS.items() if not _takes_dashes(one)])
def test_an_option_that_is_none(words: str) -> None:
    for param in _values(words):
        if param.param_type_name != "option":
            continue
        wrong = f"{_option(param)}x"
        done = invoke(*words.split(), wrong)

        assert done.code == 2, (param.name, done)
        assert f"{wrong} is no option of sparktune {words}" in done.err
        assert f"did you mean sparktune {words} {_option(param)}?" in done.err, (param.name, done)


def _values(words: str) -> Iterator[Any]:
    """Yield the options and arguments of a command that take a value."""
    for param in _COMMANDS[words].params:
        if not getattr(param, "is_flag", False) and param.name != "help":
            yield param


def _given(param: Any, value: str) -> list[str]:  # noqa: ANN401 - typer's kinds of click.Parameter have no public name
    return [_option(param), value] if param.param_type_name == "option" else [value]


def _option(param: Any) -> str:  # noqa: ANN401 - typer's kinds of click.Parameter have no public name
    return str(max(param.opts, key=len))


def _needed(words: str, *, but: Any) -> list[str]:  # noqa: ANN401 - typer's kinds of click.Parameter have no public name
    """Return what else the command cannot do without."""
    return [word for param in _values(words) if param.required and param is not but for word in _given(param, "1")]

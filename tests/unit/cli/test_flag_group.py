"""Options that are written once and taken by several commands stand where the command takes them, with its own."""

import inspect
from dataclasses import dataclass
from typing import Annotated

import typer

from sparktune.cli._flag_group import with_flags


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shared:
    first: Annotated[int, typer.Option("--first")] = 1
    hidden: str = "default"
    last: Annotated[bool, typer.Option("--last")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offers(_Shared):
    """Offers what the other keeps to itself."""

    hidden: Annotated[str, typer.Option("--hidden")] = ""


def _taken(taken: list[tuple[object, ...]], kind: type) -> list[str]:
    def command(own: str = "", *, flags: kind, after: bool = False) -> None:  # type: ignore[valid-type]
        taken.append((own, flags, after))

    run = with_flags(command)
    run(own="x", **{name: one.default for name, one in inspect.signature(run).parameters.items() if name != "own"})
    return list(inspect.signature(run).parameters)


def test_options_stand_where_the_command_takes_them_and_a_field_without_one_keeps_its_default() -> None:
    taken: list[tuple[object, ...]] = []
    assert _taken(taken, _Shared) == ["own", "first", "last", "after"]
    assert taken == [("x", _Shared(), False)]


def test_an_option_that_one_command_adds_stands_in_its_field_s_place() -> None:
    taken: list[tuple[object, ...]] = []
    assert _taken(taken, _Offers) == ["own", "first", "hidden", "last", "after"]
    assert taken == [("x", _Offers(), False)]

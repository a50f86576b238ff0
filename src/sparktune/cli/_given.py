"""What was typed and can mean nothing, for every command alike: an empty word, no number, one option twice.

An empty word is a variable of the shell that was not set, as in ``--nodes "$NODES"``: taking the usual value instead
would be a surprise, on a machine that nobody named.
"""

__all__ = ["refuse_unmeant"]

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from sparktune.errors import UsageError

_TWO_WAYS: Final = (("--api-key", "--api-key-file"), ("--endpoint", "--service"))
_APART: Final = (("--facts", "--all"), ("--facts", "--quiet"), ("--idle-only", "--load-only"))
_NEEDS: Final = (("--tail", "--live"), ("--every", "--watch"))
"""The second says what the first is about, in commands that have both."""
_OF_ANOTHER_PROGRAM: Final = "-- "
"""How the place of a foreign command line begins: its words are its own."""


def refuse_unmeant(command: Any) -> None:  # noqa: ANN401 - typer's kinds of click.Command have no public name
    """Let a command raise UsageError for such words once it could read its line; done once for each."""
    if getattr(command.parse_args, "refuses", False) or not _takes_values(command):
        return
    command.parse_args = _refusing(command, command.parse_args)


def _takes_values(command: Any) -> bool:  # noqa: ANN401 - as above
    return any(not getattr(param, "is_flag", False) for param in command.params)


def _refusing(command: Any, parse: Callable[..., list[str]]) -> Callable[..., list[str]]:  # noqa: ANN401 - as above
    def parse_args(ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - as above
        words = list(args)  # the parser takes them away
        left = parse(ctx, args)
        if not ctx.resilient_parsing:
            given, _, order = command.make_parser(ctx).parse_args(args=words)
            _refuse_blank(command, given)
            _refuse_twice(order)
            _refuse_both({_name(param) for param in order if param.param_type_name == "option"})
            _refuse_alone(command, {_name(param) for param in order}, ctx.params)
            _refuse_no_number(command, ctx.params)
        return left

    parse_args.refuses = True  # type: ignore[attr-defined]
    return parse_args


def _refuse_blank(command: Any, given: Mapping[str, object]) -> None:  # noqa: ANN401 - as above
    for param in command.params:
        value = given.get(param.name)
        words: Iterable[object] = value if isinstance(value, list | tuple) else [value]
        if _foreign(param) or not any(isinstance(word, str) and not word.strip() for word in words):
            continue
        message = f"{_name(param)} is empty"
        way = "write what is meant" if param.required else "write what is meant, or leave it out"
        raise UsageError(message, hint=f"{way}; a variable of the shell that is not set is empty, too")


def _refuse_twice(order: Iterable[Any]) -> None:
    options = [param for param in order if param.param_type_name == "option" and not param.multiple]
    for name, times in Counter(_name(param) for param in options if not param.is_flag).items():
        if times > 1:
            param = next(one for one in options if _name(one) == name)
            several = "," in str(param.metavar or "")
            hint = f"write it as one list: {name} {param.metavar}" if several else f"give {name} once"
            message = f"{name} is given {times} times, and only the last would count"
            raise UsageError(message, hint=hint)


def _refuse_both(names: set[str]) -> None:
    for pairs, why in ((_TWO_WAYS, "are two ways to say the same"), (_APART, "contradict each other")):
        for one, other in pairs:
            if {one, other} <= names:
                message = f"{one} and {other} {why}"
                raise UsageError(message, hint=f"give {one} or {other}")


def _refuse_alone(command: Any, names: set[str], values: Mapping[str, object]) -> None:  # noqa: ANN401 - as above
    options = {_name(param): param for param in command.params}
    for one, other in _NEEDS:
        if one in names and other in options and not values.get(options[other].name):
            message = f"{one} is for {other}, and that is not given"
            raise UsageError(message, hint=f"add {other}, or leave {one} out")


def _refuse_no_number(command: Any, values: Mapping[str, object]) -> None:  # noqa: ANN401 - as above
    for param in command.params:
        value = values.get(param.name)
        if isinstance(value, float) and not math.isfinite(value):
            message = f"{_name(param)} {value} is no finite number"
            raise UsageError(message, hint="give a number like 60 or 0.5")


def _foreign(param: Any) -> bool:  # noqa: ANN401 - as above
    return str(param.metavar or "").startswith(_OF_ANOTHER_PROGRAM)


def _name(param: Any) -> str:  # noqa: ANN401 - as above
    """Return an option as it is typed in full, an argument as the help writes it."""
    if param.param_type_name == "option":
        return str(max(param.opts, key=len))
    return str(param.metavar or param.name.upper()).strip("[]{}.")

"""The error tree: what its docstring draws is what there is, and every error knows its exit code."""

import re

import pytest

from sparktune import errors
from sparktune.errors import ExitCode, SparktuneError

_CLASSES = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, SparktuneError) and value is not SparktuneError
]


def _drawn() -> dict[str, str]:
    """Each class of the drawing and the class above it."""
    parents: dict[str, str] = {}
    path: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"( *)(?:SparktuneError|(?:\|   |    )*(?:\|--|`--) (?P<name>\w+))", line.removeprefix("    "))
        name = "SparktuneError" if "SparktuneError " in line else match and match["name"]
        if not name:
            continue
        depth = line.index(name)
        path = [entry for entry in path if entry[0] < depth]
        if path:
            parents[name] = path[-1][1]
        path.append((depth, name))
    return parents


def test_the_drawing_is_the_tree() -> None:
    assert _drawn() == {error.__name__: error.__base__.__name__ for error in _CLASSES}


@pytest.mark.parametrize("error", _CLASSES, ids=lambda error: error.__name__)
def test_every_error_has_a_code_of_the_contract_and_keeps_its_hint(error: type[SparktuneError]) -> None:
    raised = error("the disk is full", hint="free some space")

    assert raised.exit_code in set(ExitCode) - {ExitCode.DONE}
    assert (str(raised), raised.hint) == ("the disk is full", "free some space")
    assert error.__doc__


def test_exit_codes_are_the_documented_ones() -> None:
    """Scripts depend on them."""
    assert {code.name: int(code) for code in ExitCode} == {
        "DONE": 0,
        "FAILED": 1,
        "USAGE": 2,
        "DIFFERENCES": 3,
        "GUARD_STOPPED": 4,
        "NOT_CONCLUSIVE": 5,
        "INTERRUPTED": 130,
    }

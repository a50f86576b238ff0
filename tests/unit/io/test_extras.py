"""What somebody is told to install has to be what the extra is made of, and never a stranger's package."""

import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from sparktune.io.extras import EXTRAS, install_command

_PROJECT = Path(__file__).resolve().parents[3] / "pyproject.toml"


def test_extras_are_those_of_the_project() -> None:
    declared = tomllib.loads(_PROJECT.read_text())["project"]["optional-dependencies"]

    assert {name: tuple(packages) for name, packages in declared.items()} == EXTRAS


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_command_survives_a_shell_and_names_no_package_of_ours(extra: str) -> None:
    """``>`` unquoted would write a file."""
    assert shlex.split(install_command(extra)) == [sys.executable, "-m", "pip", "install", *EXTRAS[extra]]
    assert "sparktune[" not in install_command(extra)

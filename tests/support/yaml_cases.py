"""Cases in YAML files: one file per subject, one list of cases each."""

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML


def load_yaml(path: Path) -> Any:  # noqa: ANN401 - a YAML file is whatever its author wrote
    """Return what a file holds, as plain Python values."""
    return YAML(typ="safe", pure=True).load(path.read_text())


def yaml_cases(folder: Path) -> list[Any]:
    """Return ``(file stem, case)`` of every case of every file, with readable ids."""
    return [
        pytest.param(path.stem, case, id=f"{path.stem}: {case['name']}")
        for path in sorted(folder.glob("*.yaml"))
        for case in load_yaml(path)
    ]

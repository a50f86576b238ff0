"""Nothing is missing in the reference, and what a page argues with is what the program says."""

import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.virtual import WORLDS, one_run_each

from sparktune.bench.traffic import reader
from sparktune.experiment.rules import Rules

_ROOT = Path(__file__).resolve().parents[2]
_EXPORTS = re.compile(r'^__all__ = \["(?P<name>[A-Z_]+)"\]$', re.MULTILINE)


def _plugins() -> Iterator[Any]:
    """Yield every file that is a plug-in: a module that exports one constant, and nothing else."""
    for file in sorted((_ROOT / "src" / "sparktune").rglob("*.py")):
        exported = _EXPORTS.search(file.read_text())
        if exported is not None and not file.name.startswith("_"):
            name = ".".join(file.relative_to(_ROOT / "src").with_suffix("").parts)
            yield pytest.param(name, exported["name"], id=name.removeprefix("sparktune."))


@pytest.mark.parametrize(("module", "constant"), list(_plugins()))
def test_every_plugin_is_in_the_reference(module: str, constant: str) -> None:
    """What the program knows and no page tells, nobody finds; and a page is easily forgotten when a kind is new."""
    value = getattr(importlib.import_module(module), constant)
    named = str(getattr(value, "id", getattr(value, "name", module.rpartition(".")[2])))

    assert any(word in _reference() for word in (named, module.rpartition(".")[2].replace("_", "-"))), named


@cache
def _reference() -> str:
    return "\n".join(page.read_text() for page in sorted((_ROOT / "docs" / "reference").glob("*.md")))


def test_figures_of_one_run_each_are_those_of_the_simulation() -> None:
    """The page argues with these figures: when the worlds change, so must it."""
    page = (_ROOT / "docs" / "concepts" / "why-blocks.md").read_text()
    table = page.split("B better", maxsplit=1)[1].split("```", maxsplit=1)[0]
    lines = [line.split() for line in table.splitlines()[1:]]
    for world, truth, better, worse, _ in lines:
        shares = one_run_each(WORLDS[world], float(truth), experiments=5000, seed=1, margin=Rules().margin)

        assert [f"{100 * share:.1f}" for share in shares] == [better, worse], (world, truth)
    assert len(lines) == 4 * len(WORLDS)


def test_every_member_of_a_trace_is_described() -> None:
    page = (_ROOT / "docs" / "reference" / "traffic-files.md").read_text()
    members = {field.name for kind in (reader._Line, reader._Ours) for field in msgspec.structs.fields(kind)}
    missing = [name for name in members if f"`{name}`" not in page]

    assert len(members) > 10
    assert missing == []

"""Plug-in files are found by their place; a file that exports the wrong thing is a fault that shows at once."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from sparktune.plugins import load_plugins


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """An empty package on the import path."""
    folder = tmp_path / "plugged_in"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    import plugged_in  # type: ignore[import-not-found]  # noqa: PLC0415 - it is made just here

    yield plugged_in
    for name in [name for name in sys.modules if name.partition(".")[0] == "plugged_in"]:
        del sys.modules[name]


def _add(package: ModuleType, name: str, text: str) -> None:
    (Path(package.__path__[0]) / f"{name}.py").write_text(text)


def test_public_modules_are_found_in_the_order_of_their_names(package: ModuleType) -> None:
    _add(package, "second", "THING = 2")
    _add(package, "first", "THING = 1")
    _add(package, "_shared", "THING = 'not a plug-in'")

    assert load_plugins(package, "THING", int) == (1, 2)


@pytest.mark.parametrize("text", ["", "THING = 'text'"], ids=["nothing", "another type"])
def test_a_module_without_the_constant_is_named(package: ModuleType, text: str) -> None:
    _add(package, "odd", text)
    with pytest.raises(TypeError, match=r"plugged_in\.odd exports no THING of type int"):
        load_plugins(package, "THING", int)

"""The pictures of the pages are what the code draws now, small, and ask nobody for anything."""

import importlib.util
import re
from pathlib import Path

import pytest

pytest.importorskip("textual", reason="the extra tui is not installed")

_ROOT = Path(__file__).resolve().parents[3]
_SCREENS = _ROOT / "docs" / "screens"
_MOST_BYTES = 300_000


async def test_the_picture_of_watch_is_current() -> None:
    """Where it is not: scripts/screens.py --docs."""
    spec = importlib.util.spec_from_file_location("screens", _ROOT / "scripts" / "screens.py")
    assert spec is not None
    assert spec.loader is not None
    screens = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(screens)

    assert await screens.watch_picture() == (_SCREENS / "watch.svg").read_text(encoding="utf-8")


def test_pictures_are_small_and_load_nothing() -> None:
    files = sorted(_SCREENS.iterdir())

    assert [file.name for file in files] == ["report.png", "watch.svg"]
    assert all(0 < file.stat().st_size < _MOST_BYTES for file in files)
    assert re.findall(r"url\((?!#)[^)]*\)|href=", (_SCREENS / "watch.svg").read_text(encoding="utf-8")) == []
